/** Listens with uWebSockets.js on the system's clock and timers. */
import { systemClock, systemTimers } from '../../../src/stdx/clock.ts';
import type { Listen } from '../../../src/transport/http-exchange.ts';
import { createUwsListen } from '../../../src/transport/uws/listen-uws.ts';
import { loadUws } from '../../../src/transport/uws/uws-binding.ts';

/** Rejects where no native binding loads. */
export const listenUws: Listen = async (options, handler) => {
  const load = await loadUws();
  if (!load.ok) throw new Error(`uWebSockets.js is not available: ${load.why}`);
  return createUwsListen(load.uws, load.name, systemClock, systemTimers)(options, handler);
};
