import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { keys, openWarm } from './fixtures/warm-process.ts'
import { bundle, killed, numbers } from './killed-writer.ts'

const cycles = Number(process.env['UNIKV_CYCLES'] ?? 4)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)

let folder = ''
let script = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-warm-'))
  script = join(folder, 'writer.mjs')
  await bundle(new URL('fixtures/warm-writer.ts', import.meta.url), script)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** What is saved in a folder, as a process finds it that starts now. */
async function saved(directory: string, isSealed: boolean) {
  const { near, kv } = openWarm(directory, isSealed)
  await near.loaded()
  const generations = new Set<number>()
  for (const key of keys) {
    const value = await kv.get(key)
    if (value !== undefined) generations.add(value.generation)
    if (value !== undefined) expect(value.key).toBe(key)
  }
  const { loaded = -1, refusals, errors } = near.stats().warm ?? {}
  return { generations: Array.from(generations), loaded, refusals, errors }
}

test.each([false, true])(
  'a process that is killed while it saves leaves one save, whole: sealed %s',
  async (isSealed) => {
    const directory = join(folder, `killed ${isSealed}`)
    const next = numbers(firstSeed + Number(isSealed))
    let last = 0
    let inSaves = 0
    let saves = 0
    for (let cycle = 1; cycle <= cycles; cycle++) {
      const command = [script, directory, String(isSealed), String(last + 1)]
      const lines = 1 + next(3)
      const told = await killed(command, ({ length }) => length === lines, next(100))
      const where = `cycle ${cycle} of seed ${firstSeed}`
      expect(told[0], where).toBe(last === 0 ? 'found 0 0 0' : `found ${keys.length} 0 0`)
      const acknowledged = Number(told.findLast((line) => line.startsWith('saved'))?.split(' ')[1] ?? last)
      saves += acknowledged - last
      const { generations, ...found } = await saved(directory, isSealed)
      const isNone = acknowledged === 0 && generations.length === 0
      expect(found, where).toEqual({ loaded: isNone ? 0 : keys.length, refusals: 0, errors: 0 })
      if (isNone) continue
      expect([[acknowledged], [acknowledged + 1]], where).toContainEqual(generations)
      // The manifest was there, but not yet acknowledged.
      if (generations[0] !== acknowledged) inSaves++
      last = generations[0] as number
    }
    console.log(
      `${cycles} cycles, sealed ${isSealed}, seed ${firstSeed}: ${saves} acknowledged saves, none lost, torn or mixed; ${inSaves} more were whole`,
    )
    expect(last).toBeGreaterThan(0)
  },
  3_600_000,
)

describe('files of a save', () => {
  test.each([false, true])(
    'are few when it is over, and hold no plain text if sealed: %s',
    async (isSealed) => {
      const directory = join(folder, `files ${isSealed}`)
      const { near, kv } = openWarm(directory, isSealed)
      for (let generation = 1; generation <= 3; generation++) {
        for (const key of keys) {
          await kv.set(key, { key, generation, text: 'a secret of somebody' })
          await kv.get(key)
        }
        await near.save()
      }
      await kv.close()
      const records = await recordsIn(directory)
      expect(records.length).toBeLessThan(4)
      const texts = await Promise.all(records.map((path) => readFile(path, 'latin1')))
      expect(texts.some((text) => /secret|key 1/.test(text))).toBe(!isSealed)
    },
  )

  test.each([false, true])('that somebody damaged are left where they are: sealed %s', async (isSealed) => {
    const next = numbers(firstSeed)
    const directory = join(folder, `damaged ${isSealed}`)
    const whole = openWarm(directory, isSealed)
    for (const key of keys) {
      await whole.kv.set(key, { key, generation: 1, text: 'x'.repeat(500) })
      await whole.kv.get(key)
    }
    await whole.kv.close()
    const records = await recordsIn(directory)
    let refused = 0
    for (let round = 0; round < 30; round++) {
      const path = records[next(records.length)] as string
      const bytes = await readFile(path)
      const changed = Buffer.from(bytes)
      const at = next(bytes.length)
      changed[at] = (changed[at] as number) ^ (1 << next(8))
      await writeFile(path, next(3) === 0 ? bytes.subarray(0, at) : changed)
      const { generations, loaded } = await saved(directory, isSealed)
      expect(generations.filter((generation) => generation !== 1)).toEqual([])
      if (loaded < keys.length) refused++
      await writeFile(path, bytes)
    }
    expect(refused).toBeGreaterThan(15)
    expect((await saved(directory, isSealed)).loaded).toBe(keys.length)
  })
})

/** Files of records, whatever they hold. */
async function recordsIn(directory: string): Promise<readonly string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true })
  return found
    .filter((one) => one.isFile() && /\/[0-9a-f]$/.test(one.parentPath))
    .map((one) => join(one.parentPath, one.name))
}
