import { listenNode } from '../../src/transport/node/listen-node.ts';
import { transportContract } from '../contract/transport-contract.ts';
import { tlsPair } from '../support/data/tls-pair.ts';

transportContract('node over TLS', listenNode, {
  queuesPipelined: true,
  answersGarbage: true,
  countsConnections: true,
  longMs: 5_000,
  tls: { ...tlsPair, clientCaPem: tlsPair.certificatePem },
});
