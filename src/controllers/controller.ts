/** The contract of a controller: started once, stopped once, and made again for another run. */
export interface Controller {
  start(): void;
  /** Resolves when the work in hand has ended. */
  stop(): Promise<void>;
}

/** Several as one: started in order, stopped together. */
export function controllerManager(controllers: readonly Controller[]): Controller {
  return {
    start() {
      for (const controller of controllers) controller.start();
    },
    async stop() {
      await Promise.all(controllers.map((controller) => controller.stop()));
    },
  };
}
