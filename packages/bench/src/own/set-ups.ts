import { callHook, type HookedStore } from './own-hooks.ts'

/** The stores that a module has set up, each of which is torn down in the end. */
export class SetUps {
  readonly #stores: HookedStore[] = []

  /**
   * Call `setup` of the module. One that fails is torn down, too.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` with what it threw
   */
  async setUp(store: HookedStore): Promise<void> {
    this.#stores.push(store)
    await callHook('setup', store)
  }

  /**
   * Call `teardown` for all of them.
   *
   * @throws {StoreError} `INVALID_ARGUMENT` with what the first one threw, after the others were torn down
   */
  async tearDown(): Promise<void> {
    const failures: unknown[] = []
    for (const store of this.#stores) await callHook('teardown', store).catch((error) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
}
