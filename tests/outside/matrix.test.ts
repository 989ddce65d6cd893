import { join } from 'node:path'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { banner, esbuild, webpack } from './bundlers.ts'
import { cellsOf, type Ended, inClone, isWhole, node } from './run.ts'

const [project, strict] = [inject('project'), inject('strict')]

/** Globals that look like those of a CommonJS module or of webpack. */
const lookalikes = `data:text/javascript,Object.assign(globalThis, {
  __filename: '[stdin]', __webpack_require__: {}, require: () => { throw new Error('not from here') } })`

type Start = (folder: string, env: NodeJS.ProcessEnv) => Promise<Ended>

/** The ways in which other people's programs use these packages. */
const rows: Readonly<Record<string, Start>> = {
  'plain JavaScript': (_, env) => node(project, ['main.mjs'], env),
  'node -e': (_, env) => node(project, ['-e', "import('./main.mjs')"], env),
  'node -p': (_, env) => node(project, ['-p', "import('./main.mjs'); 0"], env),
  'globals of other module systems': (_, env) => node(project, ['--import', lookalikes, 'main.mjs'], env),
  'a package manager that shows each package what it declares': (_, env) => node(strict, ['main.mjs'], env),
  'require of CommonJS': (_, env) => node(project, ['main.cjs'], env),
  'esbuild, ES modules': (folder, env) => bundled(folder, env, 'esm'),
  'esbuild, CommonJS': (folder, env) => bundled(folder, env, 'cjs'),
  webpack: async (folder, env) => {
    const { errors } = await webpack({ main: join(project, 'main.mjs') }, folder)
    return errors.length > 0 ? failed(errors) : node(project, [join(folder, 'main.cjs')], env)
  },
  'TypeScript 5.4': (folder, env) =>
    typed('tests/outside/tools/node_modules/typescript/bin/tsc', folder, env),
  'TypeScript 7': (folder, env) => typed('node_modules/typescript/bin/tsc', folder, env),
  'jest, jsdom': (_, env) => jest('jsdom', env),
  'jest, fake timers before the stores': (_, env) => jest('node', { ...env, OUTSIDE_TIMERS: 'before' }),
  'vitest, node': (_, env) => vitest('node', env),
  'vitest, fake timers after the stores': (_, env) => vitest('node', { ...env, OUTSIDE_TIMERS: 'after' }),
}

/** In the whole run alone: each differs from one above by the runner or by the moment. */
const moreRows: typeof rows = {
  'jest, node': (_, env) => jest('node', env),
  'jest, fake timers after the stores': (_, env) => jest('node', { ...env, OUTSIDE_TIMERS: 'after' }),
  'vitest, jsdom': (_, env) => vitest('jsdom', env),
  'vitest, fake timers before the stores': (_, env) => vitest('node', { ...env, OUTSIDE_TIMERS: 'before' }),
}

const stores = [
  ['memory', undefined],
  ['lmdb', undefined],
  ['redis', 'UNIKV_TEST_REDIS_URL'],
  ['postgres', 'UNIKV_TEST_POSTGRES_URL'],
] as const

describe.each(Object.entries(isWhole ? { ...rows, ...moreRows } : rows))('%s', (_, start) => {
  let row: Awaited<ReturnType<typeof cellsOf>>

  beforeAll(async () => {
    row = await cellsOf(project, start)
  })

  for (const [store, variable] of stores)
    test.skipIf(variable !== undefined && process.env[variable] === undefined)(store, () => {
      const told = row.cells.has(store) ? row.cells.get(store) : `not run:\n${row.ended.output}`
      expect(told).toBeUndefined()
    })

  test('ends well', () => {
    expect(row.ended).toMatchObject({ code: 0 })
  })
})

async function bundled(folder: string, env: NodeJS.ProcessEnv, format: 'esm' | 'cjs'): Promise<Ended> {
  const outfile = join(folder, format === 'esm' ? 'main.mjs' : 'main.cjs')
  const own = format === 'esm' ? { banner } : {}
  const { errors } = await esbuild({ entry: join(project, 'main.mjs'), outfile, format, ...own })
  return errors.length > 0 ? failed(errors) : node(project, [outfile], env)
}

async function typed(compiler: string, folder: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const compiled = await node(project, [inClone(compiler), '-p', '.', '--outDir', folder])
  if (compiled.code !== 0) return compiled
  await node(project, ['-e', `fs.copyFileSync('cells.mjs', ${JSON.stringify(join(folder, 'cells.mjs'))})`])
  return node(project, [join(folder, 'main.js')], env)
}

function jest(environment: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const file = inClone(`tests/outside/tools/node_modules/jest-environment-${environment}`)
  const flags = ['--experimental-vm-modules', '--no-warnings']
  const args = ['--config', 'jest.config.mjs', '--runInBand', '--forceExit=false', `--env=${file}`]
  return node(project, [...flags, inClone('tests/outside/tools/node_modules/jest/bin/jest.js'), ...args], env)
}

function vitest(environment: string, env: NodeJS.ProcessEnv): Promise<Ended> {
  const args = ['run', '--environment', environment, '--config', 'vitest.config.mjs']
  return node(project, [inClone('tests/outside/tools/node_modules/vitest/vitest.mjs'), ...args], env)
}

const failed = (errors: readonly string[]): Ended => ({ code: 'bundle', output: errors.join('\n') })
