/**
 * Finds out whether a port is free, or a free one if the system chooses. For servers that will
 * share the port: each could silently join the listeners of another program.
 *
 * The port is free again when the answer is there.
 */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Resolves with the port. Rejects when somebody listens there, or the address is not ours. */
export function probePort(address: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ host: address, port, exclusive: true }, () => {
      const found = (probe.address() as AddressInfo).port;
      probe.close(() => resolve(found));
    });
  });
}
