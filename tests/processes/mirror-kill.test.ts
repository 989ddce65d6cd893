import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Bytes, Store } from '@unikv/core'
import { file } from '@unikv/file'
import { lmdb } from '@unikv/lmdb'
import { type Comparison, mirror } from '@unikv/mirror'
import { expect, test } from 'vitest'

const cycles = Number(process.env['UNIKV_CYCLES'] ?? 2)
/** A kill that comes between the two stores is rare on a machine that is busy elsewhere: it is waited for. */
const mostCycles = 100
const script = fileURLToPath(new URL('fixtures/mirror-writer.mjs', import.meta.url))

/** A process that writes through a mirror, killed at a random moment. */
async function killedWriter(folder: string, order: string): Promise<void> {
  const writer = spawn(process.execPath, [script, folder, order], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(writer.stdout, 'data')
  await pause(Math.random() * 60)
  writer.kill('SIGKILL')
  await once(writer, 'exit')
}

const differences = ({ missing, different, extra = 0, unreadable }: Comparison): number =>
  missing + different + extra + unreadable

test.each(['lmdb first', 'files first'])(
  'a process that is killed leaves marks, by which the next one makes both equal: %s',
  async (order) => {
    const folder = await mkdtemp(join(tmpdir(), 'unikv-mirror-kill-'))
    const totals = { differed: 0, repaired: 0 }
    const isDone = (cycle: number): boolean =>
      cycle > mostCycles || (cycle > cycles && totals.differed > 0 && totals.repaired > 0)
    for (let cycle = 1; !isDone(cycle); cycle++) {
      await killedWriter(folder, order)
      const stores: Store<Bytes>[] = [
        lmdb({ path: join(folder, 'lmdb') }),
        file({ directory: join(folder, 'files') }),
      ]
      const [primary, secondary] = (order === 'lmdb first' ? stores : stores.toReversed()) as [
        Store<Bytes>,
        Store<Bytes>,
      ]
      const journal = lmdb({ path: join(folder, 'journal') })
      // Nothing of a killed process comes later where no network is in between.
      const both = mirror(primary, secondary, { journal, doubtMs: 20 })
      totals.differed += differences(await both.verify())
      await both.repair()
      while (both.stats().dirty > 0) await pause(5)
      const found = await both.verify({ bytes: true })
      expect([differences(found), found.examples], `cycle ${cycle}`).toEqual([0, []])
      totals.repaired += both.stats().repairs
      await both.close()
      expect(await marksIn(join(folder, 'journal'))).toBe(0)
    }
    console.log(
      `${order}: ${cycles} cycles, ${totals.differed} keys differed after the kill, 0 after the repair`,
    )
    expect(totals.repaired).toBeGreaterThan(0)
    expect(totals.differed).toBeGreaterThan(0)
    await rm(folder, { recursive: true, force: true })
  },
  1_800_000,
)

/** Marks that are left. */
async function marksIn(path: string): Promise<number> {
  const journal = lmdb({ path })
  let marks = 0
  for await (const { entries } of journal.scan(
    { prefix: '', pageSize: 1_000, values: false },
    { deadlineAt: Number.POSITIVE_INFINITY },
  ))
    marks += entries.length
  await journal.close()
  return marks
}
