/**
 * Loaded into each file of tests: the processes that a test starts are as users start them, without
 * the runner's loader and signal handlers. What they run is no part of `--changed` or of coverage.
 */
import processOnSpawn from 'process-on-spawn';

processOnSpawn.removeAllListeners();
delete process.env.NODE_OPTIONS;
