import type { Bytes, CallOptions, KeyValue } from '@unikv/core'
import { bounded, callOptions } from '@unikv/core/adapter'
import { AbortController, pause, performance } from '@unikv/core/platform'
import { keyNames } from '../keys/key-space.ts'
import { recordsOf } from '../operations/context.ts'
import type { Workload } from '../operations/workload.ts'
import { invalidArgument, messageOf } from '../options/invalid.ts'
import type { OwnPlace } from './define-workload.ts'
import { reopenOwnModule } from './own-module.ts'

/** A teardown that takes longer is given up. */
const longestTeardownMs = 60_000

/** A store that the hooks of a module prepare. */
export interface HookedStore {
  readonly name: string
  readonly workload: Workload
  /** The namespace of the run. */
  readonly keys: KeyValue<string, Bytes>
  readonly signal: AbortSignal
}

/**
 * Call `setup` or `teardown` of the workload's module, if there is one.
 *
 * @throws {StoreError} `INVALID_ARGUMENT` with what the hook threw; the reason of the signal
 */
async function callHook(hook: 'setup' | 'teardown', store: HookedStore): Promise<void> {
  const { module } = store.workload
  if (module === null) return
  const own = await reopenOwnModule(module)
  const act = async (): Promise<unknown> => own[hook]?.(placeOf(store))
  let isLate = false
  const endEarly = (): void => void (isLate = hook === 'teardown')
  try {
    const called = (): Promise<unknown> => bounded(callOf(hook, store), false, act, endEarly)
    await (hook === 'teardown' ? keptAlive(called) : called())
  } catch (cause) {
    if (hook === 'setup' && store.signal.aborted) throw store.signal.reason
    const why = isLate ? `it did not end within ${longestTeardownMs / 1_000} s` : messageOf(cause)
    throw invalidArgument(`${hook} of ${module.file} failed for ${store.name}: ${why}`, cause)
  }
}

/** A setup ends with the run. A teardown must end by itself, since it also follows a run that was ended. */
function callOf(hook: 'setup' | 'teardown', { signal }: HookedStore): CallOptions {
  return callOptions(hook === 'setup' ? { signal } : { deadlineAt: performance.now() + longestTeardownMs })
}

function placeOf({ name, workload, keys, signal }: HookedStore): OwnPlace {
  const { records, firstRecord } = workload
  return {
    store: name,
    kv: recordsOf(keys),
    keyOf: keyNames(workload.keyNames),
    records,
    firstRecord,
    signal,
  }
}

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

/** Keep the process alive until work has settled: the timers of deadlines alone do not. */
export async function keptAlive<T>(work: () => Promise<T>): Promise<T> {
  const settled = new AbortController()
  void pause(Infinity, { signal: settled.signal })
  try {
    return await work()
  } finally {
    settled.abort()
  }
}
