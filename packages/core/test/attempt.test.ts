import { getEventListeners } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { attempt, callOptions, endOf, Opening } from '../src/adapter/index.ts'
import { type CallOptions, StoreError } from '../src/index.ts'

const never = (): Promise<never> => new Promise(() => {})
const within = (ms: number, signal?: AbortSignal): CallOptions =>
  callOptions({ deadlineAt: performance.now() + ms, ...(signal === undefined ? {} : { signal }) })
const codeOf = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'resolved',
    (error: unknown) => (error as StoreError).code ?? error,
  )

/**
 * A copy of `attempt` for one test, as calls of others may still have the timer that all share, and how many of the timers
 * that it set are not cleared. What other tests of the process still do with timers does not count.
 */
async function watched(): Promise<{ attempt: typeof attempt; timersLeft: () => number }> {
  vi.resetModules()
  const left = new Set<unknown>()
  const own = await import('../src/platform/timers.ts')
  vi.doMock('../src/platform/timers.ts', () => ({
    ...own,
    setInterval: (run: () => unknown, ms: number) => {
      const timer = own.setInterval(run, ms)
      left.add(timer)
      return timer
    },
    clearInterval: (timer: NodeJS.Timeout) => {
      left.delete(timer)
      own.clearInterval(timer)
    },
  }))
  const copy = await import('../src/adapter/attempt.ts')
  vi.doUnmock('../src/platform/timers.ts')
  return { attempt: copy.attempt, timersLeft: () => left.size }
}

afterEach(() => vi.restoreAllMocks())

describe('attempt', () => {
  test('answers with what the driver answers, and hands its errors on as they are', async () => {
    expect(await attempt(within(1_000), false, async () => 7)).toBe(7)
    const error = new Error('of the driver')
    await expect(attempt(within(1_000), true, () => Promise.reject(error))).rejects.toBe(error)
  })

  test('a driver that throws instead of rejecting leaves no timer and no listener', async () => {
    const { attempt, timersLeft } = await watched()
    const { signal } = new AbortController()
    const error = new Error('at once')
    const call = within(60_000, signal)
    const refused = attempt(call, false, () => {
      throw error
    })
    await expect(refused).rejects.toBe(error)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
    await vi.waitFor(() => expect(timersLeft()).toBe(0), 5_000)
  })

  test.each([
    [false, false, 'TIMEOUT'],
    [false, true, 'TIMEOUT'],
    [true, false, 'TIMEOUT'],
    [true, true, 'OUTCOME_UNKNOWN'],
  ])('at the deadline (write: %s, sent: %s) it is %s', async (isWrite, sent, code) => {
    const call = within(30)
    const startedAt = performance.now()
    const asked = attempt(call, isWrite, () => {
      call.sent = sent
      return never()
    })
    expect(await codeOf(asked)).toBe(code)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(28)
  })

  test.each([
    [false, 'ABORTED'],
    [true, 'OUTCOME_UNKNOWN'],
  ])('at an abort (sent: %s) a write is %s, with the reason as its cause', async (sent, code) => {
    const controller = new AbortController()
    const call = within(60_000, controller.signal)
    const asked = attempt(call, true, () => {
      call.sent = sent
      return never()
    })
    const reason = new Error('no longer wanted')
    controller.abort(reason)
    await expect(asked).rejects.toMatchObject({ code, cause: reason })
  })

  test('tells the driver to stop when the call ends early, and only then', async () => {
    const signals: AbortSignal[] = []
    const asked = (call: CallOptions, answer: Promise<unknown>): Promise<unknown> =>
      codeOf(
        attempt(call, false, (ended) => {
          signals.push(ended)
          return answer
        }),
      )
    expect(await asked(within(500), never())).toBe('TIMEOUT')
    expect(await asked(within(1_000), Promise.resolve(1))).toBe('resolved')
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false])
  })

  test('what comes late reaches nobody, and a late error is not uncaught', async () => {
    let fail: (error: Error) => void = () => {}
    const asked = attempt(
      within(10),
      false,
      () =>
        new Promise((_, reject) => {
          fail = reject
        }),
    )
    expect(await codeOf(asked)).toBe('TIMEOUT')
    fail(new Error('late'))
    await pause(5)
  })

  test('what has ended before is not asked', async () => {
    let asked = 0
    const ask = async (): Promise<void> => void (asked += 1)
    const gone = new AbortController()
    gone.abort()
    expect(await codeOf(attempt(within(-1), true, ask))).toBe('TIMEOUT')
    expect(await codeOf(attempt(within(1_000, gone.signal), true, ask))).toBe('ABORTED')
    expect(await codeOf(attempt({ ...within(1_000), settled: true }, true, ask))).toBe('TIMEOUT')
    expect(asked).toBe(0)
  })

  test('a blocked event loop makes no false timeout: an answer that waits in a socket comes first', async () => {
    const { port1, port2 } = new MessageChannel()
    const answered = new Promise((resolve) => port2.once('message', resolve))
    const asked = attempt(within(50), false, () => answered)
    port1.postMessage('there')
    const busyUntil = performance.now() + 120
    while (performance.now() < busyUntil);
    expect(await codeOf(asked)).toBe('resolved')
    port1.close()
  })

  test('leaves nothing behind on the signal, however it ends, and no timer', async () => {
    const { attempt, timersLeft } = await watched()
    const { signal } = new AbortController()
    await attempt(within(60_000, signal), false, async () => 1)
    await codeOf(attempt(within(60_000, signal), false, () => Promise.reject(new Error('no'))))
    const late = codeOf(attempt(within(5, signal), false, never))
    expect(timersLeft()).toBe(1)
    expect(await late).toBe('TIMEOUT')
    await vi.waitFor(() => expect(timersLeft()).toBe(0), 5_000)
    expect(getEventListeners(signal, 'abort')).toHaveLength(0)
  })

  test('takes no deadline, and one further away than a timer of Node goes', async () => {
    const calls = [callOptions(), within(2 ** 40)]
    for (const call of calls) expect(await attempt(call, false, () => pause(5, 'answer'))).toBe('answer')
  })
})

describe('endOf', () => {
  test('is nothing while the call may start', () => {
    expect(endOf(within(1_000), true)).toBeUndefined()
    expect(endOf(callOptions(), true)).toBeUndefined()
  })

  test('an abort comes before the deadline', () => {
    const gone = new AbortController()
    gone.abort()
    expect(endOf(within(-1, gone.signal), false)?.code).toBe('ABORTED')
    expect(endOf(within(-1), false)?.code).toBe('TIMEOUT')
  })
})

describe('Opening', () => {
  /** Opens numbers, one after another, when `open` is called; `released` are those that were given back. */
  function openings(open: (n: number) => Promise<number>) {
    const released: number[] = []
    let tries = 0
    const opening = new Opening(
      () => open(++tries),
      async (opened) => void released.push(opened),
    )
    return {
      opening,
      released,
      get tries() {
        return tries
      },
    }
  }

  test('opens once for all who wait', async () => {
    const all = openings((n) => pause(10, n))
    const { opening } = all
    expect(opening.ready).toBeUndefined()
    const opened = await Promise.all([
      opening.opened(within(1_000)),
      opening.opened(within(1_000)),
      opening.open(),
    ])
    expect(opened).toEqual([1, 1, 1])
    expect(await opening.opened(within(1_000))).toBe(1)
    expect([opening.ready, all.tries]).toEqual([1, 1])
  })

  test('after a failure the next call tries again', async () => {
    const { opening } = openings((n) =>
      n === 1 ? Promise.reject(new StoreError('UNAVAILABLE', 'not yet')) : Promise.resolve(n),
    )
    expect(await codeOf(opening.opened(within(1_000)))).toBe('UNAVAILABLE')
    expect(await opening.opened(within(1_000))).toBe(2)
  })

  test('a call waits no longer than its deadline, and the others go on waiting', async () => {
    const all = openings((n) => pause(200, n))
    const patient = all.opening.opened(within(5_000))
    expect(await codeOf(all.opening.opened(within(10)))).toBe('TIMEOUT')
    expect(await patient).toBe(1)
    expect(all.tries).toBe(1)
  })

  test('of a write it is known that nothing was sent, until it is open', async () => {
    const { opening } = openings((n) => pause(200, n))
    const [impatient, patient] = [within(5), within(5_000)]
    impatient.sent = true
    patient.sent = true
    const opened = opening.opened(patient)
    expect(patient.sent).toBe(false)
    expect(await codeOf(opening.opened(impatient))).toBe('TIMEOUT')
    expect(impatient.sent).toBe(false)
    await opened
    expect(patient.sent).toBe(true)
    await opening.opened(patient)
    expect(patient.sent).toBe(true)
  })

  test('close refuses what comes, and releases what was opened once', async () => {
    const { opening, released } = openings((n) => Promise.resolve(n))
    await opening.open()
    await Promise.all([opening.close(), opening.close()])
    await opening.close()
    expect(released).toEqual([1])
    expect(opening.ready).toBeUndefined()
    expect(await codeOf(opening.opened(within(1_000)))).toBe('CLOSED')
    expect(await codeOf(opening.open())).toBe('CLOSED')
  })

  test('close while it opens releases what comes', async () => {
    const { opening, released } = openings((n) => pause(20, n))
    const opened = opening.opened(within(1_000))
    await opening.close()
    expect(released).toEqual([1])
    expect(opening.ready).toBeUndefined()
    expect(await opened).toBe(1)
  })

  test('close ends an opening that gets no answer, and its callers are told so', async () => {
    const released: unknown[] = []
    const opening = new Opening(
      (closing) =>
        new Promise<never>((_, reject) => {
          closing.addEventListener('abort', () => reject(new StoreError('ABORTED', 'stopped')))
        }),
      async (opened) => void released.push(opened),
    )
    const waiting = codeOf(opening.opened(within(60_000)))
    await opening.close()
    expect(await waiting).toBe('CLOSED')
    expect(released).toEqual([])
  })

  test('close of what was never opened, or could not be, releases nothing', async () => {
    const fresh = openings((n) => Promise.resolve(n))
    await fresh.opening.close()
    const failed = openings(() => Promise.reject(new Error('no')))
    await codeOf(failed.opening.open())
    await failed.opening.close()
    expect([fresh.tries, fresh.released, failed.released]).toEqual([0, [], []])
  })
})
