import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { node } from './run.ts'

const project = inject('project')
const folder = join(project, '../only-files')
const copied = { recursive: true, verbatimSymlinks: true }

/** What `unikv/lazy` and the command line need to load, with the adapter for files alone. */
const needed = [
  'core',
  'file',
  'stores',
  'bench',
  'cache',
  'compression',
  'delta',
  'encryption',
  'entity',
  'snapshot',
]

const program = `import { json, keyValue, open } from 'unikv/lazy'
const kv = keyValue(await open('file:./data'), [json()])
await kv.set('a', 1)
const told = [await kv.get('a')]
await kv.close()
for (const url of ['redis://127.0.0.1:1', 'nonsense:a'])
  await open(url).catch((error) => told.push(error.code))
console.log(JSON.stringify(told))
`

describe('with the adapter for files alone', () => {
  beforeAll(async () => {
    await mkdir(folder, { recursive: true })
    const names = ['unikv', 'commander', 'zod', ...needed.map((name) => `@unikv/${name}`)]
    for (const name of names)
      await cp(join(project, 'node_modules', name), join(folder, 'node_modules', name), copied)
    await writeFile(join(folder, 'main.mjs'), program)
  })

  test('unikv/lazy loads no other one', async () => {
    const { output } = await node(folder, ['main.mjs'])
    expect(JSON.parse(output)).toEqual([1, 'ERR_MODULE_NOT_FOUND', 'INVALID_CONFIG'])
  })

  test.each([
    ['--version'],
    ['bench', 'sizes', '--help'],
    ['bench', 'sizes', '--store', 'file:./bench', '--sizes', '100', '--operations', '2', '--runs', '1'],
  ])('the command line loads no other one: unikv %s %s', async (...args) => {
    const { code, output } = await node(folder, [join(folder, 'node_modules/unikv/bin/unikv.js'), ...args])
    expect({ code, output }).toMatchObject({ code: 0 })
  })
})
