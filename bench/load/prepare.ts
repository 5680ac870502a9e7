/** Fills a server with objects before anything is measured. */
import { definitionsPath } from './definitions.ts';
import { connectMany, drive, fetchBytes } from './http-client.ts';
import { collectionPath, createRequest, objectName } from './objects.ts';

const CONNECTIONS = 64;

/** Creates `<prefix>-00000000` and so on. @throws when one is refused. */
export async function fill(
  port: number,
  prefix: string,
  count: number,
  bytes: number,
): Promise<void> {
  const connections = await connectMany(port, Math.min(CONNECTIONS, count));
  const { statuses } = await drive(connections, count, (i) =>
    createRequest(objectName(prefix, i), i, bytes),
  );
  for (const connection of connections) connection.close();
  if (statuses['201'] !== count) throw new Error(`creating failed: ${JSON.stringify(statuses)}`);
}

/** The collection's resourceVersion now. */
export async function currentVersion(port: number, path = collectionPath): Promise<string> {
  const { body } = await fetchBytes(port, 'GET', `${path}?limit=1`);
  const list = JSON.parse(body.toString()) as { metadata: { resourceVersion: string } };
  return list.metadata.resourceVersion;
}

/** Makes a custom type, and resolves when the collection is served. @throws when it is refused. */
export async function define(port: number, definition: object, collection: string): Promise<void> {
  const { body, status } = await fetchBytes(
    port,
    'POST',
    definitionsPath,
    JSON.stringify(definition),
  );
  if (status !== 201) throw new Error(`a definition was answered ${status}: ${body.toString()}`);
  while ((await fetchBytes(port, 'GET', collection)).status !== 200);
}

/** One object as the server sends it. */
export async function objectText(port: number, name: string): Promise<string> {
  const { status, body } = await fetchBytes(port, 'GET', `${collectionPath}/${name}`);
  if (status !== 200) throw new Error(`${name}: ${status} ${body.toString()}`);
  return body.toString();
}
