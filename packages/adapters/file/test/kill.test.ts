import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { file } from '../src/index.ts'
import { Ledger } from './proofs/ledger.ts'
import { random } from './proofs/random.ts'
import { Writer } from './proofs/writers.ts'

const cycles = Number(process.env['UNIKV_CYCLES'] ?? 12)
const seed = Number(process.env['UNIKV_SEED'] ?? 1)

let folder = ''
let script = ''

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'unikv-kill-'))
  script = join(folder, 'writer.mjs')
  await build({
    entryPoints: [fileURLToPath(new URL('proofs/writer.ts', import.meta.url))],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@unikv/source'],
  })
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('writers that are killed lose no acknowledged write and disturb no other writer', async () => {
  const directory = join(folder, 'data')
  const chance = random(seed)
  const start = (workers: number, ledger: Ledger) =>
    new Writer(script, [directory, String(chance.below(2 ** 31)), String(workers)], ledger)
  let ledger = new Ledger()
  let acknowledged = 0
  const resident = start(3, ledger)
  for (let cycle = 1; cycle <= cycles; cycle++) {
    const victim = start(4, ledger)
    await victim.tells()
    await pause(chance.below(60))
    await victim.kill()
    await resident.pause()
    const store = file({ directory, sync: true })
    expect(ledger.problemWith(store), `cycle ${cycle} of seed ${seed}`).toBeUndefined()
    acknowledged += ledger.acknowledged
    ledger = Ledger.of(store)
    await store.close()
    resident.goOn(ledger)
  }
  await resident.pause()
  await resident.kill()
  const left = await leftBehind(directory)
  console.log(
    `${cycles} cycles, seed ${seed}: ${acknowledged} acknowledged writes, 0 lost, 0 torn; left: ${left.length}`,
  )
  expect(left).toEqual([])
}, 1_800_000)

/** What is left when one more writer has come and gone. */
async function leftBehind(directory: string): Promise<string[]> {
  const store = file({ directory })
  await store.write([{ type: 'delete', key: 'none', version: '0'.repeat(24) }], {
    deadlineAt: Number.POSITIVE_INFINITY,
  })
  await store.close()
  const names = await readdir(directory, { recursive: true })
  return names.filter((name) => /(^|\/)[tocl]-[^/]*$|\.new-/.test(name))
}
