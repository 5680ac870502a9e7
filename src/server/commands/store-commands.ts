/**
 * Commands on a store that is not served, or beside its servers: export, import, backup, verify,
 * mark-restored. Each ends with one line that says what was done.
 *
 * Parsing is in command-line.ts; formats and adapters are in src/storage.
 *
 * Invariants: an output file appears whole and on the disk, or not at all; nothing is said to be
 * done that the standard output has not taken.
 */
import { createReadStream, existsSync, fstatSync, fsyncSync, writeSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { identityNames, identityOf } from '../../apimachinery/identity.ts';
import { systemClock, systemTimers } from '../../stdx/clock.ts';
import { systemPrng } from '../../stdx/prng.ts';
import type { RecordCodec } from '../../storage/encrypted-records.ts';
import { openFdbExport, openFdbImport } from '../../storage/fdb/fdb-transfer.ts';
import { openFoundationdb } from '../../storage/fdb/foundationdb-binding.ts';
import { createKeys } from '../../storage/fdb/layout.ts';
import { beginEra } from '../../storage/fdb/open-store.ts';
import { backupLmdb, markRestored } from '../../storage/lmdb/lmdb-backup.ts';
import { openLmdbExport, openLmdbImport } from '../../storage/lmdb/lmdb-transfer.ts';
import { StorageError } from '../../storage/storage.ts';
import type { StoreExport, StoreImport } from '../../storage/transfer.ts';
import { exportBytes, importBytes } from '../../storage/transfer-file.ts';
import type { TransferReport } from '../../storage/transfer-file.ts';
import { readEncryption } from '../compose/encryption.ts';
import { createLog } from '../compose/log.ts';
import { completeConfig } from '../config/options.ts';
import { OptionsError } from '../config/option-values.ts';
import type { CompletedConfig, RawOptions } from '../config/options.ts';
import { verifyFoundationdb, verifyLmdb } from './verify-store.ts';

export type StoreCommand =
  /** `output` and `input`: a file, or `-`. */
  | { readonly kind: 'export'; readonly options: RawOptions; readonly output: string }
  | {
      readonly kind: 'import';
      readonly options: RawOptions;
      readonly input: string;
      /** Starts over where an import has not finished. */
      readonly force: boolean;
      /** Undefined: whatever the export has. */
      readonly identity: string | undefined;
    }
  | { readonly kind: 'backup'; readonly options: RawOptions; readonly to: string }
  | { readonly kind: 'verify'; readonly options: RawOptions }
  | { readonly kind: 'mark-restored'; readonly options: RawOptions };

/** Resolves with the line that says what was done.
 * @throws OptionsError or StorageError. */
export async function runStoreCommand(command: StoreCommand): Promise<string> {
  const config = completeConfig(command.options);
  switch (command.kind) {
    case 'export':
      return exportTo(config, command.output);
    case 'import':
      return importFrom(config, command);
    case 'backup':
      return backup(config, command.to);
    case 'verify':
      return verify(config);
    case 'mark-restored':
      return restored(config);
  }
}

async function exportTo(config: CompletedConfig, output: string): Promise<string> {
  const source = await openExport(config);
  try {
    let report: TransferReport | undefined;
    const pieces = async function* (): AsyncGenerator<Buffer> {
      report = yield* exportBytes(source);
    };
    if (output === '-') await writeOut(pieces());
    else await writeFile(output, pieces());
    return `exported ${described(report)}`;
  } finally {
    await source.close();
  }
}

async function openExport(config: CompletedConfig): Promise<StoreExport> {
  switch (config.store) {
    case 'memory':
      throw new OptionsError('--store: memory keeps nothing that could be exported');
    case 'lmdb':
      try {
        return await openLmdbExport(config.dataDir, systemClock);
      } catch (cause) {
        throw explainInUse(cause, config.dataDir);
      }
    case 'fdb':
      return openFdbExport(fdbOptions(config));
  }
}

function fdbOptions(config: CompletedConfig): Parameters<typeof openFdbExport>[0] {
  const db = openFoundationdb(config.fdbClusterFile);
  return { db, prefix: config.fdbPrefix, prng: systemPrng() };
}

function explainInUse(error: unknown, directory: string): unknown {
  if (!(error instanceof StorageError) || error.code !== 'in-use') return error;
  return new StorageError(
    'in-use',
    `${directory} is in use by a running server: stop it, or make a copy with` +
      ` \`sluice backup --data-dir=${directory} --to=COPY\` and use --data-dir=COPY`,
    { cause: error },
  );
}

/** Under another name first: a file that was cut short is not to be taken for an export. */
async function writeFile(file: string, pieces: AsyncGenerator<Buffer>): Promise<void> {
  if (existsSync(file)) throw new OptionsError(`--output: ${file} exists already`);
  const partial = `${file}.partial`;
  const handle = await open(partial, 'w').catch((cause: unknown) => {
    throw new OptionsError(`--output: ${(cause as Error).message}`);
  });
  try {
    for await (const piece of pieces) await handle.appendFile(piece);
    await handle.sync();
    await handle.close();
    await rename(partial, file);
  } catch (cause) {
    await handle.close().catch(() => undefined);
    await rm(partial, { force: true });
    if (cause instanceof StorageError) throw cause;
    throw new OptionsError(`--output: ${(cause as Error).message}`);
  }
}

async function writeOut(pieces: AsyncGenerator<Buffer>): Promise<void> {
  const { fd } = process.stdout;
  const write = standardOutput();
  try {
    for await (const piece of pieces) await write(piece);
    if (fstatSync(fd).isFile()) fsyncSync(fd);
  } catch (cause) {
    throw cause instanceof StorageError ? cause : explainFile(cause, '--output');
  }
}

/** Node's stream of a file takes a piece of which the disk has taken only a part, or nothing. */
function standardOutput(): (piece: Buffer) => Promise<void> {
  const { stdout } = process;
  const { fd } = stdout;
  const isDirect = !stdout.isTTY && (fstatSync(fd).isFile() || fstatSync(fd).isCharacterDevice());
  let failed: Error | undefined;
  stdout.on('error', (error) => (failed = error));
  const toPipe = (piece: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      stdout.write(piece, (error) => {
        const problem = failed ?? error;
        if (problem instanceof Error) reject(problem);
        else resolve();
      });
    });
  const toFile = async (piece: Buffer): Promise<void> => {
    for (let at = 0; at < piece.length;) at += writeSync(fd, piece, at);
  };
  return isDirect ? toFile : toPipe;
}

async function importFrom(
  config: CompletedConfig,
  command: Extract<StoreCommand, { kind: 'import' }>,
): Promise<string> {
  const { input, force, identity } = command;
  if (input !== '-' && !existsSync(input)) {
    throw new OptionsError(`--input: ${input} does not exist`);
  }
  const target = await openImport(config);
  try {
    const pieces = input === '-' ? process.stdin : createReadStream(input);
    return `imported ${described(await importBytes(pieces, target, { force, identity }))}`;
  } catch (cause) {
    if (!(cause instanceof StorageError)) throw explainFile(cause, `--input: ${input}`);
    if (cause.code !== 'corrupt') throw cause;
    throw new StorageError(cause.code, `--input: ${input}: ${cause.message}`, { cause });
  } finally {
    await target.close();
  }
}

async function openImport(config: CompletedConfig): Promise<StoreImport> {
  switch (config.store) {
    case 'memory':
      throw new OptionsError('--store: memory keeps nothing that is imported');
    case 'lmdb':
      return openLmdbImport(config.dataDir);
    case 'fdb':
      return openFdbImport(fdbOptions(config));
  }
}

/** What the system says of a file is the operator's to mend. */
function explainFile(error: unknown, what: string): unknown {
  const bySystem = error instanceof Error && 'syscall' in error;
  return bySystem ? new OptionsError(`${what}: ${error.message}`) : error;
}

function described(report: TransferReport | undefined): string {
  if (report === undefined) return 'nothing';
  const { recordsCount, header } = report;
  return `${recordsCount} records, identity=${header.identity} revision=${header.revision}`;
}

async function backup({ dataDir }: CompletedConfig, to: string): Promise<string> {
  const report = await backupLmdb(dataDir, to, systemClock).catch((cause: unknown) => {
    throw cause instanceof StorageError ? cause : explainFile(cause, '--to');
  });
  return (
    `copied ${report.recordsCount} records to ${to}, revision=${report.revision};` +
    ` the copy goes on after ${report.continuesAfter}`
  );
}

async function verify(config: CompletedConfig): Promise<string> {
  const { encryption } = config;
  const all = identityNames.map(identityOf);
  // Nobody waits for a key service here: what it says is in the report.
  const deps = { clock: systemClock, timers: systemTimers, log: createLog('silent') };
  const given = encryption === undefined ? undefined : await readEncryption(config, deps, ...all);
  try {
    return await verifyWith(config, given?.codec);
  } finally {
    given?.close();
  }
}

async function verifyWith(config: CompletedConfig, codec: RecordCodec | undefined) {
  switch (config.store) {
    case 'memory':
      throw new OptionsError('--store: memory keeps nothing that could be verified');
    case 'lmdb':
      try {
        return await verifyLmdb(config.dataDir, systemClock, codec);
      } catch (error) {
        throw explainInUse(error, config.dataDir);
      }
    case 'fdb':
      return verifyFoundationdb(fdbOptions(config), `prefix ${config.fdbPrefix}`, codec);
  }
}

async function restored(config: CompletedConfig): Promise<string> {
  const done = 'marked as restored: history is forgotten, revisions jump ahead';
  switch (config.store) {
    case 'memory':
      throw new OptionsError('--store: memory cannot be restored');
    case 'lmdb': {
      const revision = await markRestored(config.dataDir, systemClock);
      return `${done}; they go on after ${revision}`;
    }
    case 'fdb': {
      const db = openFoundationdb(config.fdbClusterFile);
      try {
        await beginEra(db, createKeys(config.fdbPrefix), config.fdbPrefix);
      } finally {
        db.close();
      }
      return done;
    }
  }
}
