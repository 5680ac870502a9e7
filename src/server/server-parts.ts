/** The composed parts of a running server, as its health, metrics and in-process tests see them. */
import type { ActorSystem } from '../../actors/actors.ts';
import type { Streams } from '../../streams/streams.ts';
import type { Authorization } from '../authorization/authorization.ts';
import type { RegistryDeps } from '../registry/registry.ts';
import type { GroupCommitter } from '../storage/committer.ts';
import type { Storage } from '../storage/storage.ts';
import type { ServerMigration } from './validation-migration.ts';

export interface ServerParts {
  readonly storage: Storage;
  readonly streams: Streams;
  readonly actors: ActorSystem;
  readonly committer: GroupCommitter;
  readonly registry: RegistryDeps;
  readonly validation: Pick<ServerMigration, 'stats'>;
  readonly authorization: Authorization;
}
