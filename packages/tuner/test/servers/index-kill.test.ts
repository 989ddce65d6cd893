import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { mulberry32 } from '@unikv/test-kit'
import { describeWith, isWhole } from '@unikv/test-kit/vitest'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Indexer, indexName, serves } from '../../src/tactics/indexer.ts'
import { indexers } from '../../src/tactics/indexers.ts'
import { type Ground, grounds } from './indexes/grounds.ts'

const cycles = Number(process.env['UNIKV_CYCLES'] ?? (isWhole ? 3 : 1))
const seed = Number(process.env['UNIKV_SEED'] ?? 1)
const never = new AbortController().signal

/** Beside the packages: the stores and their drivers are not bundled. It is the built stores that are killed. */
const script = fileURLToPath(
  new URL(`../../../node_modules/.index-maker-${process.pid}.mjs`, import.meta.url),
)

beforeAll(async () => {
  await build({
    entryPoints: [fileURLToPath(new URL('indexes/index-maker.ts', import.meta.url))],
    outfile: script,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
  })
})
afterAll(() => rm(script, { force: true }))

/** On MariaDB by an attribute that is no column yet, so that there are two steps. */
const tried = {
  postgres: { records: 100_000, by: ['ip'] },
  mariadb: { records: 30_000, by: ['fill'] },
  mongodb: { records: 3_000, by: ['ip'] },
} as const

/** On PostgreSQL a whole tuner is killed while it makes an index: tests/processes/tuner-kill.test.ts. */
const kinds = [...(isWhole ? (['postgres'] as const) : []), 'mariadb', 'mongodb'] as const

for (const kind of kinds)
  describeWith(kind, (url) => {
    test('an index whose maker was killed is finished by another process, or taken back', async () => {
      const name = `tune_kill_${process.pid}`
      const { records, by } = tried[kind]
      const ground = grounds[kind](url, name)
      try {
        await ground.fill(records)
        const lasts = await timeOf(ground, by)
        const random = mulberry32(seed)
        let unfinished = 0
        for (let cycle = 1; cycle <= cycles; cycle++) {
          const told = await killed([kind, url, name, ...by], random() * lasts)
          if (!told.includes('made')) unfinished++
          const isResumed = random() < 0.6
          await (isResumed ? resume(ground, by) : takeBack(ground, by)).catch((cause: unknown) => {
            throw new Error(`cycle ${cycle} of seed ${seed}`, { cause })
          })
        }
        console.log(
          `${kind}: ${cycles} kills, seed ${seed}, ${unfinished} before the index was made: all well`,
        )
        if (cycles >= 50) expect(unfinished).toBeGreaterThan(0)
      } finally {
        await ground.remove()
        await ground.close()
      }
    }, 3_600_000)
  })

function partsOf({ kind, table }: Ground, by: readonly string[]) {
  return { indexer: indexers[kind] as Indexer, plan: { name: indexName(table, by), table, by } }
}

/** How long it takes when nothing is killed, in milliseconds. */
async function timeOf(ground: Ground, by: readonly string[]): Promise<number> {
  const { indexer, plan } = partsOf(ground, by)
  const startedAt = performance.now()
  await indexer.create(ground.native, plan, never)
  const took = performance.now() - startedAt
  await indexer.drop(ground.native, plan, never)
  return took
}

async function resume(ground: Ground, by: readonly string[]): Promise<void> {
  const { indexer, plan } = partsOf(ground, by)
  await indexer.create(ground.native, plan, never)
  const { indexes } = await indexer.look(ground.native, ground.table)
  const serving = indexes.filter((index) => serves(index, by))
  expect(serving.map((index) => index.name)).toEqual([plan.name])
  await takeBack(ground, by)
}

async function takeBack(ground: Ground, by: readonly string[]): Promise<void> {
  const { indexer, plan } = partsOf(ground, by)
  await indexer.drop(ground.native, plan, never)
  const { indexes, only } = await indexer.look(ground.native, ground.table)
  expect(indexes.filter(({ isOfKey }) => !isOfKey)).toEqual([])
  expect(only?.attributes.filter((column) => column.startsWith('unikv_tune')) ?? []).toEqual([])
}

/** Start a maker, kill it so long after it began, and return what it told. */
async function killed(command: readonly string[], afterMs: number): Promise<readonly string[]> {
  const maker = spawn(process.execPath, [script, ...command], { stdio: ['ignore', 'pipe', 'inherit'] })
  const told: string[] = []
  const lines = createInterface({ input: maker.stdout })
  lines.on('line', (line) => told.push(line))
  const over = Promise.all([once(lines, 'close'), once(maker, 'exit')])
  await Promise.race([once(lines, 'line'), over])
  await pause(afterMs)
  maker.kill('SIGKILL')
  await over
  return told
}
