import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keys, openBehind, type Pair, pairs } from './fixtures/behind-process.ts'
import { bundle, killed, numbers } from './killed-writer.ts'

const cycles = Number(process.env['UNIKV_CYCLES'] ?? 2)
const firstSeed = Number(process.env['UNIKV_SEED'] ?? 1)

let folder = ''
let script = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-behind-'))
  // Beside the tests, as LMDB is a native module that is not bundled.
  script = fileURLToPath(new URL(`../../node_modules/.behind-writer-${process.pid}.mjs`, import.meta.url))
  await bundle(new URL('fixtures/behind-writer.ts', import.meta.url), script, ['lmdb'])
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
  await rm(script, { force: true })
})

/** What a key may have: the last acknowledged write, or one that began after it. */
class Expected {
  readonly #possible = new Map<string, readonly string[]>(keys.map((key) => [key, ['absent']]))
  acknowledged = 0
  last = 0

  hear(line: string): void {
    const [what, index, n, isDelete] = line.split(' ')
    if (what === 'ready') return
    const key = `key ${index}`
    const state = isDelete === 'true' ? 'absent' : String(n)
    this.last = Math.max(this.last, Number(n))
    if (what === 'begin') this.#possible.set(key, [...this.of(key), state])
    else {
      this.acknowledged++
      this.#possible.set(key, [state])
    }
  }

  of(key: string): readonly string[] {
    return this.#possible.get(key) ?? []
  }

  /** It was read: nothing else is possible any more. */
  is(key: string, state: string): void {
    this.#possible.set(key, [state])
  }
}

function acknowledgedOf(lines: readonly string[]): number {
  return lines.filter((line) => line.startsWith('done')).length
}

test.each<Pair>(pairs)(
  'an acknowledged write survives the kill of its process: %s',
  async (pair) => {
    const directory = join(folder, pair)
    const next = numbers(firstSeed)
    const expected = new Expected()
    let replayed = 0
    let lost = 0
    for (let cycle = 1; cycle <= cycles; cycle++) {
      const command = [script, directory, pair, String(expected.last + 1)]
      const wanted = 2 + next(60)
      const told = await killed(command, (lines) => acknowledgedOf(lines) >= wanted, next(30))
      for (const line of told) expected.hear(line)
      // Every other time the next writer replays instead, and may be killed while it does.
      if (cycle % 2 === 1 && cycle < cycles) continue
      const { kv, behind } = openBehind(directory, pair)
      for (const key of keys) {
        const value = await kv.get(key)
        const state =
          value === undefined ? 'absent' : String(Number.parseInt(Buffer.from(value).toString(), 10))
        if (!expected.of(key).includes(state)) lost++
        expect(expected.of(key), `${key} after cycle ${cycle} of seed ${firstSeed}`).toContain(state)
        expected.is(key, state)
      }
      await behind.flush()
      const stats = behind.stats()
      replayed += stats.replayed
      expect({ refused: stats.refused, lost: stats.lost }).toEqual({ refused: 0, lost: 0 })
      await kv.close()
    }
    console.log(
      `${cycles} cycles, ${pair}, seed ${firstSeed}: ${expected.acknowledged} acknowledged writes, ${lost} lost; ${replayed} replayed`,
    )
    expect(expected.acknowledged).toBeGreaterThanOrEqual(2 * cycles)
    expect(replayed).toBeGreaterThan(0)
  },
  3_600_000,
)
