import { describe, expect, test } from 'vitest'
import { judge } from './judge.ts'
import { mutations } from './mutate.ts'
import { bugs, planted } from './planted.ts'
import { ours } from './subject.ts'

const count = Number(process.env['UNIKV_MUTATIONS'] ?? 1_000)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)

test('no record that was mutated is opened, and nothing else happens than one of our refusals', {
  timeout: 1_800_000,
}, () => {
  const { tried, byMutation, byCode, accepted, crashes } = judge(ours, count, seed)
  console.log(`${tried} mutated records from seed ${seed}: ${JSON.stringify({ byCode, byMutation })}`)
  expect({ accepted, crashes }).toEqual({ accepted: [], crashes: [] })
  expect(tried).toBe(count)
  expect(Object.keys(byCode).sort()).toEqual(['AUTHENTICATION_FAILED', 'CORRUPT', 'UNKNOWN_KEY_ID'])
  expect(Object.keys(byMutation).sort()).toEqual([...Object.keys(mutations), 'wrong inside'].sort())
  for (const [name, times] of Object.entries(byMutation)) expect(times, name).toBeGreaterThan(count / 100)
})

describe('the judge of mutated records', () => {
  test('finds nothing in another implementation that is right', () => {
    const { accepted, crashes } = judge(planted('none'), 300, seed)
    expect({ accepted, crashes }).toEqual({ accepted: [], crashes: [] })
  })

  test('reads what that one seals, and the other way round', () => {
    const other = planted('none')
    judge({ seal: other.seal, open: ours.open }, 200, seed)
    judge({ seal: ours.seal, open: other.open }, 200, seed)
  })

  test.each(bugs)('finds that %s', (bug) => {
    const { accepted } = judge(planted(bug), 100_000, seed, (verdict) => verdict.accepted.length > 0)
    expect(accepted).toHaveLength(1)
  })
})
