import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Bytes, keyValue, type Store } from '@unikv/core'
import { open } from '@unikv/stores'
import { describeWith } from '@unikv/test-kit/vitest'
import { describe, expect, test } from 'vitest'
import { inProcess, type Outcome, root } from './command-line.ts'

const lmdb = `lmdb:${join(root, 'data')}`
const sqlite = `sqlite:${join(root, 'data.db')}`
const file = join(root, 'empty.snapshot')

async function keep(url: string): Promise<void> {
  expect((await inProcess(['set', url, 'a', '1'])).code).toBe(0)
}

function failure(err: string): Outcome {
  return { code: 1, out: '', err: `unikv: ${err}\n` }
}

test('a source without records is a mistake, and nothing is written', async () => {
  await keep(lmdb)
  const empty = 'lmdb: There are no records in lmdb. If that is right, use --allow-empty.'
  const other = `${lmdb}?dataset=other`
  expect(await inProcess(['snapshot', other, file])).toEqual(failure(empty))
  expect(existsSync(file)).toBe(false)
  expect(await inProcess(['copy', other, `lmdb:${join(root, 'target')}`])).toEqual(failure(empty))
  const { err } = await inProcess(['snapshot', lmdb, file, '--namespace', 'a'])
  expect(err).toBe(
    'unikv: lmdb: There are no records in the namespace a of lmdb. If that is right, use --allow-empty.\n',
  )
})

test('where it is right, that is said, and nothing is called equal', async () => {
  const other = `${lmdb}?dataset=other`
  expect((await inProcess(['snapshot', other, file, '--allow-empty'])).out).toMatch(/^Wrote 0 records/)
  const target = `lmdb:${join(root, 'target')}`
  expect(await inProcess(['restore', file, target])).toEqual(
    failure(
      'There are no records in the snapshot. Nothing was written. If that is right, use --allow-empty.',
    ),
  )
  for (const args of [
    ['restore', file, target, '--allow-empty'],
    ['copy', other, target, '--allow-empty'],
  ]) {
    const { code, out } = await inProcess(args)
    expect([code, out]).toEqual([0, expect.stringMatching(/0 records .*\nThere was nothing to compare\.\n$/)])
  }
})

test('count and scan of an empty place hint at it', async () => {
  const other = `${lmdb}?dataset=other`
  const hint = 'unikv: lmdb has no records here.\n'
  expect(await inProcess(['count', other])).toEqual({ code: 0, out: '0\n', err: hint })
  expect(await inProcess(['scan', other])).toEqual({ code: 0, out: '', err: hint })
  expect((await inProcess(['count', lmdb, '--prefix', 'x'])).err).toBe('')
})

/** Every command that only reads, of a place. */
function readers(url: string): readonly (readonly string[])[] {
  return [
    ['get', url, 'a'],
    ['count', url],
    ['scan', url],
    ['delete', url, 'a'],
    ['snapshot', url, file, '--overwrite'],
    ['copy', url, 'memory:'],
    ['monitor', '--url', url, '--once'],
  ]
}

/** The readers find no table, by URL and by name, and make none. */
async function makesNothing(url: string, table: string): Promise<void> {
  const missing = `${url}?dataset=${table}`
  const config = join(root, `${table}.yaml`)
  await writeFile(config, `stores: { here: { url: "${missing}" } }\n`)
  for (const args of [...readers(missing), ['count', 'here', '--config', config]]) {
    const { code, out, err } = await inProcess(args)
    expect([args[0], code, out]).toEqual([args[0], 1, ''])
    expect(err).toContain(`There are no records: the table ${table} is not there.`)
  }
  const { code, out } = await inProcess(['check', '--config', config])
  expect([code, out]).toEqual([1, expect.stringContaining('NOT_PREPARED: There are no records: the table')])
}

test('commands that read make no table in a file of another program', async () => {
  await keep(`${sqlite}?dataset=theirs`)
  const before = await readFile(join(root, 'data.db'))
  await makesNothing(sqlite, 'tpyo')
  expect(await readFile(join(root, 'data.db'))).toEqual(before)
  expect((await inProcess(['set', `${sqlite}?dataset=tpyo`, 'a', '1'])).code).toBe(0)
  expect((await inProcess(['count', `${sqlite}?dataset=tpyo`])).out).toBe('1\n')
})

describe.each(['postgres', 'mariadb'] as const)('%s', (server) => {
  describeWith(server, (url) => {
    test('commands that read make no table, and the database is told', async () => {
      const own = `own_${process.pid}`
      await keep(`${url}?dataset=${own}`)
      await makesNothing(url, `none_${process.pid}`)
      const { err } = await inProcess(['snapshot', `${url}?dataset=none_${process.pid}`, file, '--overwrite'])
      expect(err).toMatch(/The database has \d+ datasets? \(/)
      expect((await inProcess(['delete', `${url}?dataset=${own}`, '--all', '--yes'])).code).toBe(0)
    })
  })
})

describeWith('redis', (url) => {
  test('the other keys of the database are told', async () => {
    const store: Store<Bytes> = open(url, { dataset: `user${process.pid}` })
    await using kv = keyValue(store)
    await kv.set('1', new Uint8Array())
    for (const args of [
      ['snapshot', `${url}?dataset=none${process.pid}`, file, '--overwrite'],
      ['copy', `${url}?dataset=none${process.pid}`, 'memory:'],
    ]) {
      const { code, err } = await inProcess(args)
      expect(code).toBe(1)
      expect(err).toMatch(/There are no records in redis\. The database has \d+ other keys?, .*--allow-empty/)
    }
    await kv.delete('1')
  })
})
