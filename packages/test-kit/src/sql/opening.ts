import { setTimeout as pause } from 'node:timers/promises'
import { inspect } from 'node:util'
import { keyValue } from '@unikv/core'
import { expect, test } from 'vitest'
import { codeOf } from '../calls.ts'
import { handles } from '../handles.ts'
import type { SqlBench } from './bench.ts'
import { freshTable } from './fresh-table.ts'

const value = Buffer.from('value')
const secret = 'hunter2-s3cret'

/** Declares tests of a first call, and of what it finds: the database, the table, or neither. */
export function testOpening(bench: SqlBench): void {
  testTables(bench)
  testConnections(bench)
}

function testTables(bench: SqlBench): void {
  test('a missing table is NOT_PREPARED, and is not made unless asked for', async () => {
    const table = freshTable()
    const store = bench.store({ url: bench.url, table })
    const error = await keyValue(store)
      .get('key')
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'NOT_PREPARED',
      message: expect.stringContaining(bench.prepare.name) as string,
    })
    expect(
      await codeOf(bench.prepare({ url: bench.url, table }).then(() => keyValue(store).get('key'))),
    ).toBeUndefined()
    await bench.sql.query(`DROP TABLE ${table}`)
    expect(await codeOf(keyValue(store).get('key'))).toBe('NOT_PREPARED')
    expect(await codeOf(keyValue(store).set('key', value))).toBe('NOT_PREPARED')
    const prepared = bench.store({ url: bench.url, table, prepare: true })
    await keyValue(prepared).set('key', value)
    expect(await keyValue(store).get('key')).toEqual(value)
    await bench.sql.query(`DROP TABLE ${table}`)
  })

  test('eight processes may prepare one table at the same time', async () => {
    const table = freshTable()
    await Promise.all(Array.from({ length: 8 }, () => bench.prepare({ url: bench.url, table })))
    await keyValue(bench.store({ url: bench.url, table })).set('key', value)
    await bench.sql.query(`DROP TABLE ${table}`)
  })

  test('a table of bytes is refused where documents are asked for, and the other way round', async () => {
    const bytes = await bench.table()
    const documents = await bench.table({ values: 'document' })
    expect(await codeOf(keyValue(bench.documents({ url: bench.url, table: bytes })).get('key'))).toBe(
      'INVALID_CONFIG',
    )
    expect(await codeOf(keyValue(bench.store({ url: bench.url, table: documents })).get('key'))).toBe(
      'INVALID_CONFIG',
    )
  })

  test('a failed opening is tried again by the next call', async () => {
    const table = freshTable()
    const kv = keyValue(bench.store({ url: bench.url, table }))
    expect(await codeOf(kv.get('key'))).toBe('NOT_PREPARED')
    await bench.prepare({ url: bench.url, table })
    expect(await kv.get('key')).toBeUndefined()
    await bench.sql.query(`DROP TABLE ${table}`)
  })
}

function testConnections(bench: SqlBench): void {
  test('a missing database is NOT_PREPARED, a closed port UNAVAILABLE with the address', async () => {
    const database = new URL(bench.url)
    database.pathname = '/no_such_database'
    expect(await codeOf(keyValue(bench.store({ url: database })).get('key'))).toBe('NOT_PREPARED')
    const port = new URL(bench.url)
    port.port = '1'
    port.password = secret
    const error = await keyValue(bench.store({ url: port }))
      .set('key', value)
      .catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      code: 'UNAVAILABLE',
      retryable: true,
      message: expect.stringContaining('127.0.0.1:1 ') as string,
    })
    expect(inspect(error, { showHidden: true, depth: 9 })).not.toContain(secret)
  })

  test('nothing is loaded or connected before the first call, and nothing is left after close', async () => {
    const table = await bench.table()
    await pause(100) // what earlier tests closed goes
    const before = handles()
    const store = bench.open({ url: bench.url, table })
    expect(handles()).toEqual(before)
    const kv = keyValue(store)
    await Promise.all(Array.from({ length: 20 }, (_, i) => kv.set(`key ${i}`, value, { ttlMs: 60_000 })))
    expect(handles()).not.toEqual(before)
    await kv.close()
    await kv.close()
    await store.close()
    expect(handles()).toEqual(before)
    expect(
      await codeOf(Promise.resolve(store.read([{ key: 'a' }], { deadlineAt: Number.POSITIVE_INFINITY }))),
    ).toBe('CLOSED')
    expect(await codeOf(store.native.query('SELECT 1'))).toBe('CLOSED')
  })
}
