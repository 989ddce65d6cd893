import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { webpack } from './bundlers.ts'
import { node } from './run.ts'

const project = inject('project')

test('a bundle of webpack holds the thread of SQLite', async () => {
  const main = join(project, 'sqlite-thread.mjs')
  await writeFile(
    main,
    `import { keyValue } from '@unikv/core'
import { sqlite } from '@unikv/sqlite'
async function main() {
  const kv = keyValue(sqlite({ path: './sqlite-thread.db' }), [], { timeoutMs: 60_000 })
  await kv.set('a', new Uint8Array([1]))
  console.log((await kv.get('a'))[0])
  await kv.close()
}
void main()
`,
  )
  const folder = join(project, 'out-sqlite-thread')
  expect(await webpack({ main }, folder, ['libsql'])).toEqual({ errors: [] })
  expect(await node(project, [join(folder, 'main.cjs')])).toEqual({ code: 0, output: '1\n' })
})
