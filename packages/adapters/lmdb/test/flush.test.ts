import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bundle } from './proofs/bundle.ts'
import { type Call, trace, traceObstacle } from './proofs/trace.ts'

const batches = Number(process.env['UNIKV_BATCHES'] ?? 20)
const obstacle = traceObstacle()
if (obstacle !== undefined) console.log(`SKIPPED: that LMDB acknowledges after its flush (${obstacle})`)

describe.skipIf(obstacle !== undefined)('system calls of a write', () => {
  let folder = ''
  let script = ''

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'unikv-flush-'))
    script = await bundle(new URL('proofs/flushed-writer.ts', import.meta.url), folder)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const run = (durability: 'flushed' | 'buffered', sync: boolean) => {
    const name = `${durability}-${sync}`
    return acknowledgements(
      trace(
        script,
        [join(folder, name), durability, String(sync), String(batches)],
        join(folder, `${name}.txt`),
      ),
    )
  }

  test.each([false, true])(
    'show that it is acknowledged after its flush (sync: %s)',
    (sync) => {
      const found = run('flushed', sync)
      console.log(
        `${found.length} acknowledgements (sync: ${sync}), each after pages, fdatasync and the meta page on O_DSYNC`,
      )
      expect(found).toEqual(
        Array.from({ length: batches }, () => ['pages', 'flush', 'meta', 'acknowledgement']),
      )
    },
    120_000,
  )

  test('show no flush where none is declared, so that the look is a look', () => {
    for (const calls of run('buffered', false)) expect(calls).not.toContain('flush')
  })
})

/** What happened to the data file between the beginning of each batch and its acknowledgement, in order. */
function acknowledgements(calls: readonly Call[]): readonly (readonly string[])[] {
  const found: string[][] = []
  const meta = metaDescriptor(calls)
  let batch: string[] = []
  for (const call of calls) {
    const what = meaningOf(call, meta)
    if (what === 'began') batch = []
    else if (what !== undefined && batch.at(-1) !== what) batch.push(what)
    if (what === 'acknowledgement') found.push(batch)
  }
  return found
}

/** LMDB writes its meta pages by a descriptor on which every write is flushed. */
function metaDescriptor(calls: readonly Call[]): number {
  return (
    calls.findLast(({ name, parameters }) => name === 'openat' && /data\.mdb.*O_DSYNC/.test(parameters))
      ?.result ?? -1
  )
}

function meaningOf({ name, parameters, result }: Call, meta: number): string | undefined {
  if (name === 'write' && parameters.includes('"began ')) return 'began'
  if (name === 'write' && parameters.includes('"ended ')) return 'acknowledgement'
  if (!parameters.includes('data.mdb') || name === 'openat') return undefined
  if (name === 'fdatasync' || name === 'fsync' || name === 'msync')
    return result === 0 ? 'flush' : 'failed flush'
  return parameters.startsWith(`${meta}<`) ? 'meta' : 'pages'
}
