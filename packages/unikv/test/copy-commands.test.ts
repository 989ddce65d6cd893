import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { inProcess, root } from './command-line.ts'

const url = (name: string) => `lmdb:${join(root, name)}`

beforeAll(async () => {
  await writeFile(
    join(root, 'unikv.config.yaml'),
    `stores:\n  users: { url: '${url('users')}', layers: [json] }\n  files: { url: 'file:${join(root, 'files')}', layers: [json] }\n`,
  )
  for (const name of ['ada', 'bob', 'eve'])
    await output('set', 'users', name, `{"name":"${name}"}`, '--ttl', '1h')
})

/** The output of a command that ends well. */
async function output(...args: readonly string[]): Promise<string> {
  const { code, out, err } = await inProcess(args)
  expect([code, err]).toEqual([0, ''])
  return out
}

test('a copy by name, by URL and of a namespace, with expiries', async () => {
  expect(await output('copy', 'users', 'files')).toBe(
    'Copied 3 records (51 B).\nVerified: all 3 are equal.\n',
  )
  expect(await output('get', 'files', 'ada')).toBe('{"name":"ada"}\n')
  const { expiresAt } = JSON.parse(await output('get', 'files', 'bob', '--json'))
  expect(expiresAt).toBe(JSON.parse(await output('get', 'users', 'bob', '--json')).expiresAt)
  await output('set', url('users'), 'x', 'inside', '--namespace', 'a')
  const report = JSON.parse(await output('copy', url('users'), url('other'), '--namespace', 'a', '--json'))
  expect(report).toMatchObject({ records: 1, verification: { compared: 1, missing: 0 } })
  expect(await output('get', url('other'), 'x', '--namespace', 'a')).toBe('inside\n')
})

test('mistakes are one clear line and exit 2', async () => {
  const cases: readonly (readonly [args: readonly string[], err: string])[] = [
    [
      ['users', 'files'],
      'unikv: files: The target has records already. Overwrite, or choose another target.\n',
    ],
    [['users', url('users')], 'unikv: lmdb: The source and the target are the same place.\n'],
    [['users', 'none'], "unikv: stores.none: there is no store 'none'. Known: users, files.\n"],
    [
      [url('a'), url('b'), '--config', 'x'],
      'unikv: --config is for stores by name, but two URLs were given.\n',
    ],
    [
      ['memcached://127.0.0.1:1', url('b')],
      'unikv: memcached: The source cannot list its keys, so they cannot be copied.\n',
    ],
  ]
  for (const [args, err] of cases)
    expect(await inProcess(['copy', ...args])).toEqual({ code: 2, out: '', err })
})

test('a key that is too long is told by its namespaces and its name, and that the copy can go on', async () => {
  const long = 'k'.repeat(1_500)
  const target = `sqlite:${join(root, 'short.db')}`
  await output('set', url('long'), long, 'secret', '--namespace', 'a')
  const { code, err } = await inProcess(['copy', url('long'), target])
  expect(code).toBe(1)
  expect(err).toMatch(
    new RegExp(`A key has 1503 bytes; the target allows \\d+\\..* The key is "a" / "k+"\\. Run .*--resume`),
  )
  expect(err).not.toContain('secret')
})
