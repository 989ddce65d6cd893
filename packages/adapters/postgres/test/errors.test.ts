import { inspect } from 'node:util'
import { keyValue, newVersion } from '@unikv/core'
import { codeOf, mutate } from '@unikv/test-kit'
import { freshTable } from '@unikv/test-kit/sql'
import { describeWith } from '@unikv/test-kit/vitest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { postgresError, spoilsConnection } from '../src/errors.ts'
import { postgresBench } from './postgres-bench.ts'

const sentWrite = { where: 'there', isWrite: true, sent: true }
const value = Buffer.from('a value that no error tells')

describe('an error that ends the connection', () => {
  const failure = (code: string, severity: string): Error =>
    Object.assign(new Error('could not write to file "pg_wal/xlogtemp.1"'), { code, severity })

  test.each([
    ['53100', 'PANIC'],
    ['53200', 'FATAL'],
    ['53300', 'FATAL'],
    ['40001', 'FATAL'],
    ['XX000', 'PANIC'],
    ['XX000', 'SCHWERWIEGEND'],
  ])('tells nothing of a write that was sent: %s as %s', (state, severity) => {
    const error = failure(state, severity)
    expect(postgresError(error, sentWrite)).toMatchObject({ code: 'OUTCOME_UNKNOWN' })
    expect(postgresError(error, { ...sentWrite, isWrite: false })).toMatchObject({ code: 'UNAVAILABLE' })
    expect(spoilsConnection(error)).toBe(true)
  })

  test.each([
    ['28P01', 'ACCESS_DENIED'],
    ['28000', 'ACCESS_DENIED'],
    ['3D000', 'NOT_PREPARED'],
    ['53300', 'OVERLOADED'],
    ['57P03', 'UNAVAILABLE'],
  ])('means what it says where nothing was sent: %s is %s', (state, code) => {
    expect(postgresError(failure(state, 'FATAL'), { ...sentWrite, sent: false })).toMatchObject({ code })
  })

  test.each([
    ['call_enum_check_hook', 'read-only'],
    ['RevalidateCachedQuery', 'prepared statement'],
  ])('0A000 of %s is told as %s', (routine, text) => {
    const error = Object.assign(failure('0A000', 'ERROR'), { routine })
    expect(postgresError(error, sentWrite)).toMatchObject({
      code: 'UNAVAILABLE',
      message: expect.stringContaining(text),
    })
    expect(spoilsConnection(error)).toBe(true)
  })

  test.each(['ERROR', 'FEHLER'])('is none where the statement failed alone: 53100 as %s', (severity) => {
    const error = failure('53100', severity)
    expect(postgresError(error, sentWrite)).toMatchObject({ code: 'STORE_FULL' })
    expect(spoilsConnection(error)).toBe(false)
  })
})

// A trigger makes the real server raise what it raises in rare cases only: a full disk, a lost race.
describeWith('postgres', (url) => {
  const bench = postgresBench(url)
  const raise = freshTable()
  beforeAll(async () => {
    await bench.sql.query(`CREATE FUNCTION ${raise}() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'raised' USING ERRCODE = tg_argv[0], DETAIL = NEW::text; END $$`)
  })
  afterAll(() => bench.sql.query(`DROP FUNCTION ${raise} CASCADE`))

  test.each([
    ['40001 (serialization failure)', 'UNAVAILABLE', true],
    ['40P01 (deadlock)', 'UNAVAILABLE', true],
    ['55P03 (lock not available)', 'UNAVAILABLE', true],
    ['57014 (cancelled)', 'UNAVAILABLE', true],
    ['25006 (read-only)', 'UNAVAILABLE', true],
    ['53100 (disk full)', 'STORE_FULL', false],
    ['53200 (out of memory)', 'OVERLOADED', true],
    ['53400 (limit of the configuration)', 'OVERLOADED', true],
    ['42501 (privilege)', 'ACCESS_DENIED', false],
    ['42P01 (no table)', 'NOT_PREPARED', false],
    ['54000 (too large)', 'VALUE_TOO_LARGE', false],
    ['XX000 (something else)', 'UNAVAILABLE', false],
    ['08006 (connection failure)', 'OUTCOME_UNKNOWN', false],
    ['57P01 (shutdown)', 'OUTCOME_UNKNOWN', false],
    ['57P02 (crash)', 'OUTCOME_UNKNOWN', false],
  ])('SQLSTATE %s is %s', async (state, code, retryable) => {
    const table = await bench.table()
    await bench.sql.query(`CREATE TRIGGER t BEFORE INSERT ON ${table} FOR EACH ROW
      EXECUTE FUNCTION ${raise}('${state.slice(0, 5)}')`)
    const store = bench.store({ url, table })
    const results = [
      await mutate(store, { type: 'set', key: 'a secret key', value }),
      ...(await store.write(
        ['b', 'c'].map((key) => ({ type: 'set', key, value, version: newVersion() })),
        { deadlineAt: performance.now() + 5_000 },
      )),
    ]
    for (const result of results) {
      expect(result).toMatchObject({ code, retryable })
      const told = inspect(result, { showHidden: true, depth: 9 })
      for (const kept of [value.toString(), value.toString('hex'), 'a secret key'])
        expect(told).not.toContain(kept)
    }
    expect(await keyValue(store).get('a secret key')).toBeUndefined()
  })

  test('an error of a read is no outcome of a write', async () => {
    const table = await bench.table()
    const kv = keyValue(bench.store({ url, table }))
    await kv.set('key', value)
    await bench.sql.query(`ALTER TABLE ${table} RENAME TO ${table}_`)
    expect(await codeOf(kv.get('key'))).toBe('NOT_PREPARED')
    await bench.sql.query(`ALTER TABLE ${table}_ RENAME TO ${table}`)
    expect(await kv.get('key')).toEqual(value)
  })
})
