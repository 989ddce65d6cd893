import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { keyNames, Table } from '@unikv/bench/engine'
import type { ResultOf } from '@unikv/bench/studies'
import { type Bytes, keyValue, type Store, StoreError } from '@unikv/core'
import { open } from '@unikv/stores'
import { describe, expect, test } from 'vitest'
import { inProcess, root } from './command-line.ts'

const quiet = ['--quiet', '--json']
const load = (place: string, ...args: string[]) =>
  inProcess(['bench', 'load', '--store', place, '--table', 'users', ...quiet, ...args])
const drive = (place: string, ...args: string[]) => {
  const short = ['--operations', '60', '--warmup', '0', '--runs', '2', ...quiet]
  return inProcess(['bench', 'run', '--store', place, '--table', 'users', ...short, ...args])
}

/** All keys in the dataset of the command, sorted. */
async function keysIn(folder: string): Promise<string[]> {
  const store = open(`lmdb:${root}/${folder}?dataset=unikv_bench`)
  const keys: string[] = []
  const all = keyValue(store).namespace('unikv.bench').namespace('tables')
  for await (const name of all.keys()) keys.push(name)
  for (const part of ['records', 'counters'])
    for await (const key of all.namespace('users').namespace(part).keys()) keys.push(`${part} ${key}`)
  await store.close()
  return keys.sort()
}

/** Do something with a table as another process would have left it. */
async function withTable(
  folder: string,
  act: (table: Table) => Promise<unknown>,
  change: (store: Store<Bytes>) => Store<Bytes> = (store) => store,
): Promise<void> {
  const store = open(`lmdb:${root}/${folder}?dataset=unikv_bench`)
  await act(new Table({ name: 'lmdb', store: change(store) }, 'users', 5_000))
  await store.close()
}

/** A store whose process is killed when it deletes. */
function killedAtDelete(store: Store<Bytes>): Store<Bytes> {
  const write: typeof store.write = (mutations, call) => {
    if (mutations.some(({ type }) => type === 'delete')) throw new StoreError('UNAVAILABLE', 'killed')
    return store.write(mutations, call)
  }
  return Object.create(store, { write: { value: write } }) as Store<Bytes>
}

describe('a table', () => {
  test('stays for runs, which leave it as it was loaded', async () => {
    const loaded = await load('lmdb:./t1', '--records', '100', '--out', 'l1')
    expect([loaded.code, JSON.parse(loaded.out)]).toEqual([
      0,
      expect.objectContaining({ tables: [expect.objectContaining({ records: 100, before: null })] }),
    ])
    expect(existsSync(join(root, 'l1', 'report.html'))).toBe(true)
    const before = await keysIn('t1')
    expect([before.length, before.includes('records user6284781860667377211')]).toEqual([101, true])
    const mix = ['--mix', 'read=1,insert=1,update=1', '--keys', 'latest', '--records', '100']
    const { code, out } = await drive('lmdb:./t1', ...mix)
    const { targets, config } = JSON.parse(out) as ResultOf<'run'>
    expect([code, config.table, targets[0]!.load.records]).toEqual([0, 'users', 100])
    expect(targets[0]!.operations.map(({ name }) => name)).toEqual(['read', 'insert', 'update'])
    expect(await keysIn('t1')).toEqual(before)
  })

  test('is loaded again only with --replace, and deleted with --delete', async () => {
    await load('lmdb:./t2', '-p', 'recordcount=50', '--preset', 'a')
    const again = await load('lmdb:./t2', '--records', '20')
    expect([again.code, again.err]).toEqual([
      2,
      'unikv: The table users in lmdb is there already, with 50 records. Use --replace to load it again, or --delete to delete it.\n',
    ])
    const part = await load(
      'lmdb:./t2',
      '-p',
      'recordcount=100',
      '-p',
      'insertstart=50',
      '-p',
      'insertcount=50',
    )
    expect([part.code, part.err]).toEqual([2, expect.stringContaining('or with --queue and --workers.')])
    expect((await keysIn('t2')).length).toBe(51)
    const replaced = await load('lmdb:./t2', '--records', '20', '--replace')
    expect([replaced.code, (await keysIn('t2')).length]).toEqual([0, 21])
    const deleted = await load('lmdb:./t2', '--delete')
    expect([deleted.code, await keysIn('t2')]).toEqual([0, []])
  })

  test('refuses a workload with other records, and names both', async () => {
    await load('lmdb:./t3', '--records', '50', '--value-size', '10..20')
    const told = async (...args: string[]) => {
      const { code, err } = await drive('lmdb:./t3', '--out', 'refused', ...args)
      return `${code} ${err}`
    }
    expect(await told('--preset', 'c')).toBe(
      '2 unikv: The table users was loaded with another workload. records: 50 in the table, 10,000 in the workload. Use --records 50, or load it again: unikv bench load --table users --replace.\n',
    )
    expect(await told('--records', '50')).toContain(
      'bytes of a value: uniform from 10 to 20 in the table, 1000 in the workload.',
    )
    const fitting = ['--records', '50', '--value-size', '10..20']
    expect(await told(...fitting, '-p', 'insertorder=ordered')).toContain('names of keys: user, hashed')
    expect(await told(...fitting, '--check', '--seed', '7')).toContain(
      'values by the seed: 42 in the table, 7',
    )
    expect(await told(...fitting, '--mix', 'read=1,delete=1')).toContain('The operation delete would leave')
    expect((await drive('lmdb:./t3', ...fitting, '--check')).code).toBe(0)
    const other = await inProcess(['bench', 'run', '--store', 'lmdb:./t3', '--table', 'user', ...quiet])
    expect([other.code, other.err]).toEqual([
      2,
      'unikv: There is no table user in lmdb (tables there: users). Load it first: unikv bench load --table user.\n',
    ])
    expect(existsSync(join(root, 'refused'))).toBe(false)
  })

  test('that is half loaded is noticed by run and load', async () => {
    await load('lmdb:./t4', '--records', '50')
    await withTable('t4', async (table) => {
      const record = await table.loaded()
      await table.write({ ...record, state: 'loading' })
    })
    expect((await drive('lmdb:./t4', '--records', '50')).err).toContain(
      'The load of the table users in lmdb has not ended, or was cut short.',
    )
    expect((await load('lmdb:./t4', '--records', '50')).err).toContain('is half loaded: an earlier load')
    expect((await load('lmdb:./t4', '--records', '50', '--replace')).code).toBe(0)
    expect((await drive('lmdb:./t4', '--records', '50')).code).toBe(0)
  })

  test('that was half cleared by a process that was killed is known as half loaded', async () => {
    await load('lmdb:./t7', '--records', '50')
    const run = async () => (await drive('lmdb:./t7', '--records', '50', '--preset', 'c')).err
    for (const act of ['clear', 'remove'] as const) {
      await withTable('t7', (table) => expect(table[act]()).rejects.toThrow('killed'), killedAtDelete)
      expect(await run()).toContain('The load of the table users in lmdb has not ended, or was cut short.')
      expect((await load('lmdb:./t7', '--records', '50', '--replace')).code).toBe(0)
    }
  })

  test('is freed from the inserts of a run that was killed, and not from those of one at work', async () => {
    await load('lmdb:./t5', '--records', '50')
    const before = await keysIn('t5')
    await withTable('t5', async (table) => {
      const record = await table.loaded()
      await table.write({ ...record, changedBy: 'dead' })
      // the insert of 51 failed
      await table.keys.namespace('counters').set('user1', new Uint8Array(1))
      for (const number of [50, 52])
        await table.keys.namespace('records').set(keyNames()(number), new Uint8Array(1))
    })
    expect((await keysIn('t5')).length).toBe(before.length + 3)
    expect((await drive('lmdb:./t5', '--records', '50', '--preset', 'c')).code).toBe(0)
    expect(await keysIn('t5')).toEqual(before)
    const store = open(`lmdb:${root}/t5?dataset=unikv_bench`)
    const sign = { host: hostname(), pid: process.pid, startedAt: Date.now(), seenAt: Date.now() }
    await keyValue(store)
      .namespace('unikv.bench')
      .set('alive', Buffer.from(JSON.stringify(sign)))
    await store.close()
    await withTable('t5', async (table) => table.write({ ...(await table.loaded()), changedBy: 'alive' }))
    expect((await drive('lmdb:./t5', '--records', '50')).err).toContain('Another run inserts into the table')
  })

  test.each([
    [['--store', 'memory:', '--table', 'users'], 'memory keeps its records in this process'],
    [['--store', 'lmdb:./t6'], 'Name the table: --table NAME.'],
    [['--store', 'lmdb:./t6', '--table', 'a/b'], "'a/b' cannot name a table"],
    [['--store', 'lmdb:./t6', '--table', 'a', '--replace', '--delete'], 'Choose --replace or --delete'],
    [['--store', 'lmdb:./t6', '--table', 'a', '--delete', '--records', '5'], '--records says nothing beside'],
    [['--store', 'lmdb:./t6', '--table', 'a', '--delete', '-p', 'a=b'], '-p says nothing beside --delete'],
  ])('is refused for %j', async (args, message) => {
    const { code, err } = await inProcess(['bench', 'load', ...args, '--out', 'none'])
    expect([code, err.includes(message)], err).toEqual([2, true])
    expect(existsSync(join(root, 'none'))).toBe(false)
  })
})
