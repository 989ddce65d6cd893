import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, inject, test } from 'vitest'
import { banner, esbuild, webpack } from './bundlers.ts'
import { node } from './run.ts'

// A bundle holds the page: nothing of the package is found beside it.

const bare = inject('bare')
const folder = join(bare, 'out/dashboard')
const program = join(folder, 'program.mjs')

beforeAll(async () => {
  await mkdir(folder, { recursive: true })
  await writeFile(
    program,
    `import { dashboard } from '@unikv/dashboard'
import { openStores } from '@unikv/manager'

export async function run() {
  const manager = await openStores({ stores: { users: 'memory:' }, monitor: true })
  await manager.stores.users.set('ada', new Uint8Array(3))
  const { fetch, close } = dashboard(manager, { unprotected: true, basePath: '/admin' })
  const page = await fetch(new Request('http://localhost/admin'))
  const figures = await fetch(new Request('http://localhost/admin/api/figures'))
  const { stores } = await figures.json()
  console.log(/<script type="module">.{10000}/s.test(await page.text()), stores.users.set.calls)
  close()
  await manager.close()
}
run()
`,
  )
})

test.each([
  ['esbuild, ES modules', 'esbuild.mjs'],
  ['esbuild, CommonJS', 'esbuild.cjs'],
  ['webpack', 'webpack.cjs'],
])('the page is in a bundle of %s', async (bundler, file) => {
  const outfile = join(folder, file)
  const isModule = file.endsWith('.mjs')
  const bundled =
    bundler === 'webpack'
      ? await webpack({ webpack: program }, folder)
      : await esbuild({
          entry: program,
          outfile,
          format: isModule ? 'esm' : 'cjs',
          ...(isModule ? { banner } : {}),
        })
  expect(bundled.errors).toEqual([])
  expect(await node(bare, [outfile])).toEqual({ code: 0, output: 'true 1\n' })
})
