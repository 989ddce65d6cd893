import { type Bytes, type CallOptions, type KeyValue, StoreError } from '@unikv/core'
import { bounded, callOptions } from '@unikv/core/adapter'
import { isError, performance } from '@unikv/core/platform'
import { keyNames } from '../keys/key-names.ts'
import { recordsOf } from '../operations/context-of.ts'
import type { Workload } from '../operations/workload.ts'
import type { OwnPlace } from './define-workload.ts'
import { keptAlive } from './kept-alive.ts'
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
export async function callHook(hook: 'setup' | 'teardown', store: HookedStore): Promise<void> {
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
    const said = isError(cause) ? cause.message : String(cause)
    const why = isLate ? `it did not end within ${longestTeardownMs / 1_000} s` : said
    throw new StoreError('INVALID_ARGUMENT', `${hook} of ${module.file} failed for ${store.name}: ${why}`, {
      cause,
    })
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
