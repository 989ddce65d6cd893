import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { ResultOf } from '@unikv/bench/studies'
import { noteCounts, type OwnServer, ownServer } from '@unikv/test-kit'
import { describeWith, describeWithOwn } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inProcess, install, root } from './command-line.ts'

/**
 * What unikv adds from 10,000 to 1,280,000 records, on one and three nodes of Cassandra, and on MongoDB beside keyv and unstorage:
 * `npm run prove -- overhead-scale`. It takes hours. Each volume that is measured stays in the folder `UNIKV_KEPT`, and the next start leaves it out.
 */
const volumes = (process.env['UNIKV_VOLUMES'] ?? '200,400').split(',')
const kept = resolve(process.env['UNIKV_KEPT'] ?? join(root, 'kept'))
const isLong = process.env['UNIKV_KEPT'] !== undefined
const times = isLong ? ['--duration', '500ms'] : ['--duration', '20ms', '--warmup', '20ms', '--runs', '2']
const timeout = isLong ? 86_400_000 : 120_000

beforeAll(async () => {
  await mkdir(kept, { recursive: true })
  await install('unstorage', 'mongodb', 'keyv', '@keyv/mongo')
})

function measures(store: string, url: () => string, beside: readonly string[] = []): void {
  const folder = (volume: string): string => join(kept, `${store}-${volume}`)

  test.each(volumes)(`${store} with %s records`, { timeout }, async (volume) => {
    if ((await resultIn(folder(volume)))?.status !== 'complete') {
      const others = beside.length > 0 ? ['--beside', beside.join()] : []
      const options = ['--records', volume, '--value-size', '200', ...times]
      const patient = ['--timeout-ms', '60000', '--allow-non-empty', '--quiet', '--out', folder(volume)]
      const args = ['bench', 'overhead', '--store', `${store}=${url()}`, ...others, ...options, ...patient]
      const { code, err } = await inProcess(args)
      expect([code, err]).toEqual([0, ''])
    }
    const result = await resultIn(folder(volume))
    const added = result!.rows.filter(
      ({ measure, statistic, dimensions }) =>
        measure === 'added' && statistic === 'median' && dimensions['side'] === 'unikv',
    )
    expect(added.map(({ dimensions }) => dimensions['operation'])).toEqual([
      'insert',
      'read',
      'update',
      'delete',
    ])
    const micros = added.map(({ value }) => Math.round(Number(value) * 1_000))
    noteCounts({ [`${store} ${volume}: added, µs`]: micros })
  })

  test(`${store}: all volumes on one page`, async () => {
    const { code, err } = await inProcess([
      'bench',
      'report',
      ...volumes.map(folder),
      '--out',
      join(kept, store),
    ])
    expect([code, err]).toEqual([0, ''])
    const page = await readFile(join(kept, store, 'report.html'), 'utf8')
    expect(page).toContain(store)
  })
}

async function resultIn(folder: string): Promise<ResultOf<'overhead'> | undefined> {
  const file = join(folder, 'result.json')
  if (!existsSync(file)) return undefined
  return JSON.parse(await readFile(file, 'utf8')) as ResultOf<'overhead'>
}

describeWith('cassandra', (url) => measures('cassandra-1', () => url))

describeWithOwn('cassandra-cluster', () => {
  let cluster: OwnServer
  beforeAll(async () => {
    cluster = await ownServer('cassandra-cluster')
  }, 240_000)
  afterAll(() => cluster?.stop(), 60_000)
  measures('cassandra-3', () => cluster.url)
})

describeWith('mongodb', (url) => measures('mongodb', () => url, ['keyv', 'unstorage']))
