import { listenNode } from '../../src/transport/node/listen-node.ts';
import { transportContract } from '../contract/transport-contract.ts';

transportContract('node', listenNode, {
  queuesPipelined: true,
  answersGarbage: true,
  countsConnections: true,
  longMs: 5_000,
});
