import { expect, test } from 'vitest'
import { type Action, explained } from '../src/index.ts'
import { actionOf } from './actions.ts'
import { World } from './simulation/world.ts'

const policies = [
  { store: 'users', operation: 'native', percentile: 99.9, belowMs: 10, minCalls: 1 },
] as const

test('a stranger learns why an index is proposed, what else was weighed, and what would change the mind', async () => {
  const world = new World({ queries: { 'by ip': 20 }, writes: 50, reads: 100 }, { policies, noise: 0 })
  await world.windows(4)
  const [action = actionOf()] = await world.actions()
  const text = explained(action).join('\n')
  expect(text).toMatch(
    /^Why: The promise is that 99\.9 % of the native calls \(queries of the program\) of users take less than 10 ms\. As measured, 99\.9 % of them take up to \d+ ms\./m,
  )
  expect(text).toMatch(
    /^Estimate: the change brings it to about [\d.]+ ms, and saves \d+ % of the time of all calls of this store\.$/m,
  )
  expect(text).toMatch(/^· a cache of 10,000 entries in front of users: /m)
  expect(text).toMatch(/^· If the promise allowed more than \d+ ms, nothing would be proposed\.$/m)
  expect(text).toContain('State: proposed; waits for its owner until 2026-01-02 00:00:15 UTC')
  expect(text).toContain(
    '· records in users; no index begins with ip, so each query by ip reads all of them: 100,000 records',
  )
  expect(text).toContain('· If its owner rejects it, it is not proposed again for a week')
  expect(text).not.toMatch(/\d\.\d{3}/)
})

test.each([
  [0.81, 'So they give this proposal 19 % less weight. It came first all the same, by the figures above.'],
  [1.2, 'So they give this proposal 20 % more weight.'],
  [1.01, 'So they hardly count for or against this proposal.'],
])('earlier cases with the factor %d are told with what they do to the proposal', (learned, sentence) => {
  const own = { tactic: 'planted', title: 'a change', relief: 1, expected: 1, saved: 0.5, breakEven: null }
  const path = ['share of read in all calls over 5 s is 33 %, not above 73 %']
  const lines = explained(actionOf({ path, weighed: [{ ...own, learned }] }))
  const at = lines.indexOf('Earlier cases like this, of these stores and of others:')
  expect(lines.slice(at + 1, at + 3)).toEqual([`· ${path[0]}`, `· ${sentence}`])
})

test('an index for one of two slow queries is not said to be enough', async () => {
  const world = new World({ queries: { 'by ip': 20, 'by card': 20 }, places: 16 }, { policies, noise: 0 })
  await world.windows(4)
  const [action = actionOf()] = await world.actions()
  expect(action.tactic).toBe('add-index')
  expect(explained(action).join('\n')).toContain('The promise is still missed then')
})

test('a resource of a server was never promised', () => {
  const trouble = { promise: "use of the server's connections", found: 0.95, limit: 0.9, unit: 'share' }
  const text = explained(
    actionOf({
      trouble: { store: 'users', of: { figure: 'resource', name: 'connections' }, sinceAt: 1, ...trouble },
    }),
  ).join('\n')
  expect(text).toContain("Why: Use of the server's connections should stay below 90 %, and is 95 %.")
  expect(text).toContain('If it were below 90 %, nothing would be proposed.')
})

test('a hit rate has its limit on the other side', () => {
  const trouble = { promise: 'hit rate of read of users', found: 0.4, limit: 0.8, unit: 'share' }
  const text = explained(
    actionOf({ trouble: { store: 'users', of: { figure: 'hits', name: 'read' }, sinceAt: 1, ...trouble } }),
  ).join('\n')
  expect(text).toContain('Why: Hit rate of read of users was promised to stay above 80 %, and is 40 %.')
  expect(text).toContain('If the promise allowed less than 40 %, nothing would be proposed.')
})

test('a measured effect has two digits', () => {
  const verdict: Action['verdict'] = {
    answer: 'help',
    ratio: 0.26312,
    interval: [0.18923, null],
    aim: 0.06931,
    control: ['read'],
    windows: [6, 4],
  }
  const text = explained(actionOf({ verdict, aim: 'by ip' })).join('\n')
  expect(text).toContain(
    'All calls together take 0.26 times as long as before (with 90 % certainty at least 0.19), and those that it was made for (by ip) 0.069 times.',
  )
})
