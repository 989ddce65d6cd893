import { inspect } from 'node:util'
import { isStoreError } from '@unikv/core'
import { expect, test } from 'vitest'

const secret = 'hunter2-s3cret'

/**
 * Declares a test for each kind of options that a store of SQL refuses. `own` gives those that only this adapter
 * refuses; it gets a good address, of that scheme, with a password.
 */
export function testRefusedOptions<O extends object>(
  scheme: string,
  open: (options: O) => unknown,
  own: (url: string) => readonly (readonly [string, O])[],
): void {
  const url = `${scheme}://root:${secret}@127.0.0.1/database`
  test.each([...refusedByAll(url, scheme), ...own(url)])(
    '%s is INVALID_CONFIG, and the message tells nothing of the URL',
    (_, options) => {
      let thrown: unknown
      try {
        open(options as O)
      } catch (error) {
        thrown = error
      }
      expect(isStoreError(thrown) && thrown.code).toBe('INVALID_CONFIG')
      expect(inspect(thrown, { showHidden: true, depth: 9 })).not.toContain(secret)
    },
  )
}

function refusedByAll(url: string, scheme: string): readonly (readonly [string, object])[] {
  return [
    ['neither url nor pool', {}],
    ['both url and pool', { url, pool: {} }],
    ['what is no URL', { url: `127.0.0.1/${secret}` }],
    ['another scheme', { url: `redis://:${secret}@127.0.0.1/0` }],
    ['no database', { url: `${scheme}://root:${secret}@127.0.0.1` }],
    ['a path below the database', { url: `${url}/table` }],
    ['a broken escape', { url: `${scheme}://root:%zz@127.0.0.1/database` }],
    ['a qualified table', { url, table: 'other.table' }],
    ['an upper-case table', { url, table: 'Table' }],
    ['a table of 49 characters', { url, table: 'a'.repeat(49) }],
    ['an empty table', { url, table: '' }],
    ['values of another kind', { url, values: 'raw' }],
    ['a durability that is none', { url, durability: 'replicated' }],
    ['no connections', { url, connectionLimit: 0 }],
    ['half a connection', { url, connectionLimit: 0.5 }],
    ['no queue', { url, queueLimit: -1 }],
    ['no room for values', { url, maxValueBytes: Number.NaN }],
    ['tls beside a pool', { pool: {}, tls: {} }],
    ['a number of connections beside a pool', { pool: {}, connectionLimit: 5 }],
  ]
}
