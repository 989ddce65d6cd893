import { assertSame, assertSameKeys } from '../../assertions.ts'
import type { Fixture } from '../../fixture.ts'
import { scan, type Topic } from '../../topic.ts'
import { assertCount, collect, listKeys, readValue, scanKeys, setAll } from '../../verbs.ts'

/** Keys of which many are almost each other's prefix. */
// biome-ignore format: many on a line, to be looked over
const neighbours = [
  'user', 'users', 'users2', 'users20', 'users:1', 'users:10', 'users/1', 'users.1', 'users\u00001',
  'users\u00ff', 'users\uffff',
  'Users', 'USERS', 'usErs', 'u\u017fers', 'users ', ' users', 'user\u0301s', 'us\u00e9rs',
  'users\u{10ffff}', 'usert', 'usersz',
  'u*', 'u?', 'u[a-z]', 'u%', 'u_', 'u\\', 'u\\*', 'u*s', 'u_s', 'u%s', 'us', 'uxs', 'u{s}', 'u^', 'u$',
  'u.', 'u.*', 'u|', 'u(', 'u[', 'u]',
  'a\ud7ff', 'a\ue000', 'a\uffff', 'a\u{10000}', 'a', 'b', "a'", 'a"', 'a`', 'a--', 'a/', 'a/b', 'a//',
  'a\\b', 'a:', 'a::', 'A', '%61',
]

// biome-ignore format: many on a line, to be looked over
const prefixes = [
  'user', 'users', 'users2', 'users:', 'users/', 'users.', 'users\u0000', 'users ', 'users\u00ff', 'U',
  'USERS', 'us', 'u', 'us\u00e9',
  'u*', 'u?', 'u[a-z]', 'u[', 'u%', 'u_', 'u\\', 'u\\*', 'u{', 'u^', 'u$', 'u.', 'u.*', 'u(', '*', '?',
  '%', '_', '[a-z]', '\\', '.*', '^u',
  'a', 'a/', 'a//', 'a\\', "a'", 'a"', 'a`', 'a--', 'a:', 'a\ud7ff', 'a\ue000', 'a\uffff', 'a\u{10000}',
  'A', '%61', 'none', 'users20000',
]

export const prefixesAndNeighbours: Topic = {
  title: 'prefixes and neighbours',
  cases: [
    {
      title: 'a scan lists exactly the keys that start with its prefix',
      needs: [scan],
      run: async (t) => {
        await write(t)
        for (const prefix of prefixes) {
          const wanted = neighbours.filter((key) => key.startsWith(prefix))
          assertSameKeys(await scanKeys(t.store, { prefix }), wanted, `keys under ${JSON.stringify(prefix)}`)
        }
      },
    },
    {
      title: 'a scan in small pages lists the same',
      needs: [scan],
      run: async (t) => {
        await write(t)
        for (const prefix of ['', 'u', 'users', 'u_', 'u%', 'a']) {
          const wanted = neighbours.filter((key) => key.startsWith(prefix))
          assertSameKeys(
            await scanKeys(t.store, { prefix, pageSize: 3 }),
            wanted,
            `keys under ${JSON.stringify(prefix)}`,
          )
        }
      },
    },
    {
      title: 'KeyValue lists, counts and returns the entries of a prefix exactly',
      needs: [scan],
      run: async (t) => {
        await write(t)
        for (const prefix of ['users', 'u*', 'u%', 'u_', 'U', 'a/']) {
          const wanted = neighbours.filter((key) => key.startsWith(prefix))
          assertSameKeys(await listKeys(t.kv, { prefix }), wanted, `keys under ${prefix}`)
          assertCount(t.kv, await t.kv.count({ prefix }), wanted.length)
          for (const [key, entry] of await collect(t.kv.entries({ prefix }))) {
            assertSame(entry.value, t.value(neighbours.indexOf(key)), `value of ${key}`)
          }
        }
      },
    },
    {
      title: 'clearing a prefix removes exactly its keys',
      needs: [scan],
      run: async (t) => {
        await write(t)
        for (const prefix of ['users', 'u%', 'u_', 'u*', 'U', "a'"]) {
          const before = await scanKeys(t.store)
          const wanted = before.filter((key) => key.startsWith(prefix))
          assertCount(t.kv, await t.kv.clear({ prefix }), wanted.length, `number of keys under ${prefix}`)
          const left = before.filter((key) => !wanted.includes(key))
          assertSameKeys(await scanKeys(t.store), left, `keys after clearing ${prefix}`)
        }
        assertSame(await readValue(t.store, 'user'), t.value(neighbours.indexOf('user')))
      },
    },
  ],
}

async function write({ store, value }: Fixture): Promise<void> {
  await setAll(
    store,
    neighbours.map((key, i) => [key, value(i)]),
  )
}
