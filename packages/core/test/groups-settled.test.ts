import { expect, test } from 'vitest'
import { type Fate, settled } from '../src/adapter/index.ts'
import { StoreError } from '../src/index.ts'

const lost = new StoreError('OUTCOME_UNKNOWN', 'The answer was lost.')
const call = (timeoutMs = 60_000) => ({ deadlineAt: performance.now() + timeoutMs })

/** Answers of a store, one after the other; the last one for good. */
function asking(...answers: readonly (Fate | StoreError)[]) {
  let asked = 0
  const ask = async (): Promise<Fate> => {
    const answer = answers[Math.min(asked++, answers.length - 1)] as Fate | StoreError
    if (answer instanceof StoreError) throw answer
    return answer
  }
  return { ask, count: () => asked }
}

const passing = new StoreError('UNAVAILABLE', 'away', { retryable: true })

test.each([
  ['committed', true],
  ['not committed', false],
] as const)('a store that cannot answer yet is asked again (%s)', async (fate, is) => {
  const { ask, count } = asking(passing, 'too early', lost, fate)
  expect(await settled(call(), lost, ask)).toBe(is)
  expect(count()).toBe(4)
})

test.each(['forgotten', new StoreError('ACCESS_DENIED', 'no')] as const)(
  'the outcome is unknown where no other answer can come',
  async (answer) => {
    const { ask, count } = asking(answer)
    await expect(settled(call(), lost, ask)).rejects.toBe(lost)
    expect(count()).toBe(1)
  },
)

test('nothing is asked after the end of the call', async () => {
  const { ask, count } = asking('committed')
  await expect(settled(call(0), lost, ask)).rejects.toBe(lost)
  const signal = AbortSignal.abort()
  await expect(settled({ ...call(), signal }, lost, ask)).rejects.toBe(lost)
  expect(count()).toBe(0)
})

test('it ends with its call', async () => {
  const stop = new AbortController()
  let asked = 0
  const ask = (): Fate => {
    if (++asked === 3) stop.abort()
    return 'too early'
  }
  await expect(settled({ ...call(), signal: stop.signal }, lost, ask)).rejects.toBe(lost)
  expect(asked).toBe(3)
})
