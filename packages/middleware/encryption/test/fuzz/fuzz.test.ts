import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isStoreError } from '@unikv/core'
import { Random } from '@unikv/test-kit/schedules'
import { expect, test } from 'vitest'
import { readHeader } from '../../src/envelope/envelope.ts'
import { Opener } from '../../src/envelope/opener.ts'
import { keyring } from '../../src/index.ts'
import { roots } from '../mutations/subject.ts'
import { fuzzed, place } from './inputs.ts'

const count = Number(process.env['UNIKV_INPUTS'] ?? 1_000)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const mostMs = 100
const mostGrowthBytes = 64 * 1024 * 1024

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const opener = new Opener({ keys: keyring({ primary: 'k1', keys: roots }), ...place })

interface Counts {
  opened: number
  byCode: Record<string, number>
  readonly crashes: string[]
  slowestMs: number
}

/** How long both readers take for some bytes, in milliseconds. */
function put(bytes: Uint8Array, counts: Counts): number {
  const start = performance.now()
  for (const read of [() => readHeader(bytes), () => opener.batch()(place.key, bytes)])
    try {
      read()
      counts.opened += 1
    } catch (error) {
      if (!isStoreError(error))
        counts.crashes.push(`${String(error)} for ${Buffer.from(bytes).toString('hex')}`)
      else counts.byCode[error.code] = (counts.byCode[error.code] ?? 0) + 1
    }
  return performance.now() - start
}

/** The least of four: what is slow for its own sake is slow each time; a pause of the collector is not. */
function ownTime(bytes: Uint8Array, counts: Counts): number {
  const first = put(bytes, counts)
  if (first <= mostMs / 4) return first
  const ignored: Counts = { opened: 0, byCode: {}, crashes: [], slowestMs: 0 }
  return Math.min(first, put(bytes, ignored), put(bytes, ignored), put(bytes, ignored))
}

test('whatever bytes a store holds: an error of ours at once, and nothing is left behind', {
  timeout: 1_800_000,
}, () => {
  const before = prototypes()
  const counts: Counts = { opened: 0, byCode: {}, crashes: [], slowestMs: 0 }
  const memory = { startBytes: 0, mostBytes: 0, rssStart: 0, rssMost: 0 }
  const chance = new Random(seed)
  const step = Math.floor(count / 20)
  for (let i = 0; i < count; i++) {
    counts.slowestMs = Math.max(counts.slowestMs, ownTime(fuzzed(chance), counts))
    if (i % step === 0) measure(memory, i === step)
  }
  const growth = memory.mostBytes - memory.startBytes
  const rssGrowth = memory.rssMost - memory.rssStart
  console.log(`${count} inputs from seed ${seed}: ${JSON.stringify({ ...counts, growth, rssGrowth })}`)
  expect(counts.crashes).toEqual([])
  expect(Object.keys(counts.byCode).sort()).toEqual(['AUTHENTICATION_FAILED', 'CORRUPT', 'UNKNOWN_KEY_ID'])
  expect(counts.slowestMs).toBeLessThan(mostMs)
  expect(growth).toBeLessThan(mostGrowthBytes)
  expect(rssGrowth).toBeLessThan(mostGrowthBytes)
  expect(prototypes()).toEqual(before)
})

/** What is alive, and what the process takes; from the second of twenty steps on. */
function measure(
  memory: { startBytes: number; mostBytes: number; rssStart: number; rssMost: number },
  isStart: boolean,
) {
  collect()
  const { heapUsed, external, rss } = process.memoryUsage()
  if (isStart)
    Object.assign(memory, { startBytes: heapUsed + external, rssStart: rss, mostBytes: 0, rssMost: 0 })
  memory.mostBytes = Math.max(memory.mostBytes, heapUsed + external)
  memory.rssMost = Math.max(memory.rssMost, rss)
}

function prototypes(): string {
  const all = [Object.prototype, Array.prototype, Uint8Array.prototype, Buffer.prototype]
  return JSON.stringify(all.map((one) => Reflect.ownKeys(one).map(String)))
}
