import { Call, leftMs } from '../contract/call.ts'
import { timeoutError } from '../contract/call-errors.ts'
import type { Page, Pages, ScanRange } from '../contract/store.ts'
import type { Direct } from './direct.ts'
import type { CallSettings } from './settings.ts'

/**
 * Settings for the steps of a call of several: if the caller gave a `timeoutMs`, it is that of the call as a whole, and a
 * step has what is left of it.
 *
 * @throws {StoreError} `TIMEOUT` when a step asks for it and nothing is left
 */
export function wholeCall<S extends CallSettings>(settings: S): S {
  const { timeoutMs } = settings
  if (timeoutMs === undefined) return settings
  const whole = new Call(timeoutMs)
  void whole.deadlineAt // begins now
  const left = (): number => {
    const ms = leftMs(whole)
    // Steps that are answered at once would never meet a deadline of their own.
    if (ms <= 0) throw timeoutError(whole, false)
    return ms
  }
  return Object.defineProperty({ ...settings }, 'timeoutMs', { get: left })
}

/** The scan that a listing belongs to. */
interface Course {
  /** The first page waits for this: what was written before. */
  readonly earlier: Promise<void>
  /** It is a step of a call for which `close` waits. */
  readonly isStep: boolean
}

/** Pages of the store, each within the deadline of the call. */
export async function* rawPages<K, V>(
  direct: Direct<K, V>,
  operation: string,
  range: ScanRange,
  settings: CallSettings,
  { earlier, isStep }: Course,
): AsyncGenerator<Page<V>> {
  const { engine } = direct
  const opened = (): Call => (isStep ? engine.step(settings) : engine.call(settings))
  try {
    // The call that the store holds for the whole scan, with the deadline of the current page.
    const options = opened()
    let iterator: Iterating<V> | undefined
    let isLeft = false
    // The stack is asked after the writes before it: a layer may look at what it has as soon as it is asked.
    const nextPage = (): IteratorResult<Page<V>> | Promise<IteratorResult<Page<V>>> => {
      if (isLeft) return { done: true, value: undefined }
      iterator ??= iteratorOf(engine.store.scan(range, options))
      return iterator.next()
    }
    try {
      while (true) {
        // Before the page is requested: an aborted call would leave its promise unhandled.
        options.renew(opened().timeoutMs)
        const asked = earlier.then(nextPage)
        const next = await engine.bounded(operation, asked, options)
        if (next.done === true) return
        yield await engine.bounded<Page<V>>(operation, next.value, opened())
      }
    } finally {
      isLeft = true
      void release(iterator)
    }
  } catch (error) {
    throw engine.located(error, operation)
  }
}

type Iterating<V> = AsyncIterator<Page<V>> | Iterator<Page<V>>

function iteratorOf<V>(pages: Pages<V>): Iterating<V> {
  return Symbol.asyncIterator in pages ? pages[Symbol.asyncIterator]() : pages[Symbol.iterator]()
}

/** No caller waits for the end of a listing that was left, so its failure is not reported. */
async function release(iterator: Iterating<unknown> | undefined): Promise<void> {
  try {
    await iterator?.return?.()
  } catch {
    // The store sees to what it holds.
  }
}
