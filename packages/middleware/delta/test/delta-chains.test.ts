import { isStoreError } from '@unikv/core'
import { Random } from '@unikv/test-kit/schedules'
import { expect, test } from 'vitest'
import { ignoringMissingParts, withoutSeal, withoutSequence } from './chains/careless-readers.ts'
import { areWhole, damages, olderHead } from './chains/damage.ts'
import { chainKey, type Reader, randomChains, read, readAfter } from './chains/random-chain.ts'

const chains = Number(process.env['UNIKV_CHAINS'] ?? 30)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)

/** What became of the damages of some chains. */
interface Tally {
  readonly wrong: string[]
  readonly detected: Record<string, number>
  undamaged: number
  rolledBack: number
}

/** Damage one chain in every way, and read it. */
async function damageChain(seed: number, tally: Tally, reader: Reader): Promise<void> {
  const random = new Random(seed)
  const made = await randomChains(random)
  const { moments, options } = made
  const value = moments.at(-1)?.value as Uint8Array
  for (const moment of moments) {
    const found = await reader(moment.records, chainKey, options)
    if (found === undefined || Buffer.compare(found, moment.value) !== 0)
      tally.wrong.push(`seed ${seed}: undamaged, another value`)
    else tally.undamaged++
  }
  for (const [name, damage] of Object.entries(damages)) {
    const records = damage(made, random)
    if (records === undefined || areWhole(made, records)) continue
    const outcome = await outcomeOf(() => reader(records, chainKey, options))
    if (outcome === 'refused') tally.detected[name] = (tally.detected[name] ?? 0) + 1
    else tally.wrong.push(`seed ${seed}: ${name}, and nobody noticed`)
    const warm = await outcomeOf(() => readAfter(random.pick(moments).records)(records, chainKey, options))
    if (warm !== 'refused' && !isSame(warm, value))
      tally.wrong.push(`seed ${seed}: ${name}, and who knew more was misled`)
  }
  const { moment, records } = olderHead(made, random)
  const outcome = await outcomeOf(() => reader(records, chainKey, options))
  if (outcome !== 'refused' && isSame(outcome, moment.value)) tally.rolledBack++
  else if (outcome !== 'refused')
    tally.wrong.push(`seed ${seed}: an older head gave a value that never was its own`)
}

type Found = Uint8Array | undefined | 'refused'

function isSame(found: Found, value: Uint8Array): boolean {
  return found instanceof Uint8Array && Buffer.compare(found, value) === 0
}

async function outcomeOf(work: () => Promise<Uint8Array | undefined>): Promise<Found> {
  try {
    return await work()
  } catch (error) {
    if (isStoreError(error) && !['CORRUPT', 'VALUE_TOO_LARGE'].includes(error.code)) throw error
    return 'refused'
  }
}

async function run(from: number, count: number, reader: Reader): Promise<Tally> {
  const tally: Tally = { wrong: [], detected: {}, undamaged: 0, rolledBack: 0 }
  for (let seed = from; seed < from + count; seed++) await damageChain(seed, tally, reader)
  return tally
}

test.each(Object.entries({ withoutSeal, ignoringMissingParts, withoutSequence }))(
  'the damages are noticed to go unnoticed by a reader that is careless: %s',
  async (_, reader) => {
    const { wrong } = await run(1, 4, reader)
    expect(wrong.filter((one) => one.includes('nobody noticed')).length).toBeGreaterThan(4)
  },
)

test('chains that are damaged in every way are refused, and undamaged ones give their bytes', {
  timeout: 7_200_000,
}, async () => {
  const { wrong, detected, undamaged, rolledBack } = await run(firstSeed, chains, read)
  if (process.env['UNIKV_CHAINS'] !== undefined)
    console.log(JSON.stringify({ chains, firstSeed, undamaged, rolledBack, detected }, undefined, 1))
  expect(wrong.slice(0, 5)).toEqual([])
  expect(undamaged).toBeGreaterThan(2 * chains)
  for (const name of Object.keys(damages)) expect(detected[name], name).toBeGreaterThan(chains / 20)
})
