import { Random } from '@unikv/test-kit/schedules'
import { describeWith } from '@unikv/test-kit/vitest'
import { Redis } from 'ioredis'
import { afterAll, describe, expect, test } from 'vitest'
import { patchLua } from '../src/diff/patch-lua.ts'
import { randomPair } from './pairs.ts'
import { equal, outcomeOf, real } from './subject.ts'

const deltas = Number(process.env['UNIKV_DELTAS'] ?? 600)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)

// KEYS[1] holds the base; nothing is written.
const script = `${patchLua}
local target, reason = unikv_patch(redis.call('GET', KEYS[1]), ARGV[1], tonumber(ARGV[2]))
if target then return { 'target', target } end
return { 'refused', reason }`

describe('a Redis server applies deltas', () =>
  describeWith('redis', (url) => {
    const client = new Redis(url, { autoResendUnfulfilledCommands: false })
    const key = `unikv-delta-${process.pid}`
    afterAll(async () => {
      await client.unlink(key)
      client.disconnect()
    })

    /** Sent at once: one connection keeps the order of a base and its delta. */
    async function patchThere(
      base: Uint8Array,
      delta: Uint8Array,
      most = 2 ** 26,
    ): Promise<Buffer | 'refused'> {
      const [, answer] = await Promise.all([
        client.set(key, Buffer.from(base)),
        client.callBuffer('eval', script, '1', key, Buffer.from(delta), String(most)),
      ])
      const [verdict, bytes] = answer as [Buffer, Buffer]
      return verdict.toString() === 'target' ? bytes : 'refused'
    }

    /** What `work` finds wrong with each of so many, a hundred under way at a time. */
    async function findings(
      work: (random: Random, i: number) => Promise<string | undefined>,
    ): Promise<string[]> {
      const random = new Random(seed)
      const found: string[] = []
      for (let i = 0; i < deltas; i += 100) {
        const answers = await Promise.all(Array.from({ length: 100 }, (_, k) => work(random, i + k)))
        found.push(...answers.filter((answer) => answer !== undefined))
      }
      return found
    }

    test(`${deltas} random ones give the same bytes as patch`, async () => {
      const wrong = await findings(async (random, i) => {
        const { base, target, options } = randomPair(random, i % 200 === 199 ? 60_000 : 600)
        const there = await patchThere(base, real.diff(base, target, options))
        return there !== 'refused' && equal(there, target) ? undefined : `delta ${i} of seed ${seed}`
      })
      expect(wrong).toEqual([])
    }, 3_600_000)

    test(`of ${deltas} damaged ones it takes none that patch refuses but for the checksum`, async () => {
      let refused = 0
      const wrong = await findings(async (random, i) => {
        const { base, target, options } = randomPair(random, 200)
        const delta = damaged(random, Buffer.from(real.diff(base, target, options)))
        const there = await patchThere(base, delta)
        if (there === 'refused') refused++
        const here = outcomeOf(() => real.patch(base, delta))
        const right =
          typeof here === 'string'
            ? there === 'refused' || messageOf(() => real.patch(base, delta)).includes('checksum')
            : there !== 'refused' && equal(there, here)
        return right ? undefined : `delta ${i} of seed ${seed}`
      })
      expect(wrong).toEqual([])
      expect(refused).toBeGreaterThan(deltas / 4)
    }, 3_600_000)

    test('a target over the limit is refused', async () => {
      const base = Buffer.alloc(10_000, 'unikv')
      const delta = real.diff(base, base)
      expect(await patchThere(base, delta, 10_000)).toEqual(base)
      expect(await patchThere(base, delta, 9999)).toBe('refused')
    })
  }))

/** One to three bits flipped, near the start as a rule. */
function damaged(random: Random, delta: Buffer): Buffer {
  for (let flips = 1 + random.below(3); flips > 0; flips--) {
    const at = random.below(Math.min(delta.length, 30))
    delta[at] = (delta[at] as number) ^ (1 << random.below(8))
  }
  return delta
}

function messageOf(work: () => unknown): string {
  try {
    work()
    return ''
  } catch (error) {
    return String(error)
  }
}
