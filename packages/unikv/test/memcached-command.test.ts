import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Bytes, Store } from '@unikv/core'
import { within } from '@unikv/core/adapter'
import { open } from '@unikv/stores'
import { describeWith } from '@unikv/test-kit/vitest'
import { expect, test } from 'vitest'
import { inProcess, quick, root, shortRun, unikv } from './command-line.ts'

describeWith('memcached', (url) => {
  const place = ['--store', `${url}?dataset=bench_${process.pid}`, '--out', 'noted']
  const folder = join(root, 'noted', '.unikv-keys')

  /** How many of these keys have a record. */
  async function left(keys: readonly string[]): Promise<number> {
    const store: Store<Bytes> = open(`${url}?dataset=bench_${process.pid}`)
    const found = await store.read(
      keys.map((key) => ({ key })),
      within(20_000),
    )
    await store.close()
    return found.filter((one) => one !== undefined).length
  }

  test('records of a killed run are known by the names that it noted, and go with the next one', async () => {
    let isKilled = false
    const endless = ['--records', '200', '--duration', '1h', '--threads', '2', '--progress', 'json']
    const { code } = await unikv(['bench', 'run', ...place, ...endless], (text, signal) => {
      if (isKilled || !text.includes('"interval"')) return
      isKilled = true
      signal('SIGKILL')
    })
    expect(code).toBe('SIGKILL')
    const [name = ''] = await readdir(folder)
    const lines = (await readFile(join(folder, name), 'utf8')).trim().split('\n')
    const keys = [...new Set(lines)].map((line) => JSON.parse(line) as string)
    expect(await left(keys)).toBeGreaterThan(200)
    const next = await inProcess(['bench', 'run', ...place, ...shortRun])
    expect([next.code, next.err]).toEqual([0, expect.any(String)])
    expect(await left(keys)).toBe(0)
    expect(await readdir(join(root, 'noted'))).not.toContain('.unikv-keys')
  })

  test('is measured by sizes as a store and as the cache of another', async () => {
    const cache = ['--cache', `near=${url}?dataset=near_${process.pid}`]
    const { code, out, err } = await inProcess([
      'bench',
      'sizes',
      ...place.with(-1, 'both'),
      ...cache,
      ...quick,
    ])
    expect([code, err.includes('unikv:')]).toEqual([0, false])
    expect(out).toContain('read memcached behind near: extrapolated')
  })
})
