import { execFileSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'
import { type BudgetLine, budgetRows } from './measure/micro.ts'
import { printTable, writeResults } from './measure/report.ts'
import { median } from './measure/rounds.ts'

// How large core is, and what importing it costs: its bundle, minified and gzipped, and the time that `import` takes in
// fresh processes, minus that of an empty module. As one file, as applications are bundled for serverless platforms,
// and file by file as it is installed. Parts that wait behind an `import()` are in neither. Others beside it, for scale.

const rounds = Number(process.env['ROUNDS'] ?? 15)
const here = fileURLToPath(new URL('..', import.meta.url))

/** For those that are not ESM, and look for things that are not there. */
const forCommonJs = {
  js: "import { createRequire as createRequireOfBundle } from 'node:module';const require = createRequireOfBundle(import.meta.url);",
}

/** A bundler that splits its output makes a file of its own of each `import()`. */
const later: Plugin = {
  name: 'later',
  setup: (build) =>
    build.onResolve({ filter: /./ }, ({ kind, path }) =>
      kind === 'dynamic-import' ? { path, external: true } : undefined,
    ),
}

interface Subject {
  readonly name: string
  /** The code to bundle. */
  readonly source: string
  /** The package, if it is imported as installed too. */
  readonly installed?: string
}

/** Entries of core besides the main one. */
const entries = ['adapter', 'keys', 'memory', 'platform', 'structured', 'sync']

function together(...others: readonly string[]): string {
  return ['@unikv/core', ...others.map((entry) => `@unikv/core/${entry}`)]
    .map((name) => `export * from '${name}'`)
    .join('\n')
}

const subjects: readonly Subject[] = [
  { name: '@unikv/core', source: "export * from '@unikv/core'", installed: '@unikv/core' },
  { name: 'of it keyValue', source: "export { keyValue } from '@unikv/core'" },
  ...entries.map((entry) => ({ name: `with ${entry}`, source: together(entry) })),
  { name: 'with all of them', source: together(...entries) },
  { name: '@unikv/cache', source: "export * from '@unikv/cache'", installed: '@unikv/cache' },
  { name: '@unikv/monitor', source: "export * from '@unikv/monitor'", installed: '@unikv/monitor' },
  ...['lru-cache', 'keyv', 'unstorage', 'cacheable', 'bentocache', 'ioredis', 'mysql2'].map((name) => ({
    name,
    source: `export * from '${name}'`,
    installed: name,
  })),
]

interface Row {
  readonly name: string
  readonly minifiedBytes: number
  readonly gzipBytes: number
  /** Milliseconds beyond those of an empty module. */
  readonly bundleImportMs: number
  readonly installedImportMs: number | undefined
}

const folder = await mkdtemp(join(tmpdir(), 'unikv-core-size-'))
try {
  const empty = join(folder, 'empty.mjs')
  await writeFile(empty, 'export {}\n')
  const files = await Promise.all(subjects.map((subject, i) => bundle(subject, join(folder, `${i}.mjs`))))
  const installed = subjects.map(({ installed: name }) =>
    name === undefined ? undefined : import.meta.resolve(name),
  )
  const times = importTimes([
    pathToFileURL(empty).href,
    ...files.map(({ url }) => url),
    ...installed.filter((url) => url !== undefined),
  ])
  const over = (url: string | undefined): number | undefined =>
    url === undefined
      ? undefined
      : (times.get(url) as number) - (times.get(pathToFileURL(empty).href) as number)
  const rows = subjects.map(
    ({ name }, i): Row => ({
      name,
      minifiedBytes: files[i]?.minifiedBytes ?? 0,
      gzipBytes: files[i]?.gzipBytes ?? 0,
      bundleImportMs: over(files[i]?.url) ?? 0,
      installedImportMs: over(installed[i]),
    }),
  )
  await report(rows)
} finally {
  await rm(folder, { recursive: true })
}

async function bundle(
  { source }: Subject,
  file: string,
): Promise<{ url: string; minifiedBytes: number; gzipBytes: number }> {
  await build({
    stdin: { contents: source, resolveDir: here },
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    logLevel: 'silent',
    ...(source.includes('@unikv') ? { plugins: [later] } : { banner: forCommonJs }),
    packages: 'bundle',
    outfile: file,
  })
  const code = await readFile(file)
  return {
    url: pathToFileURL(file).href,
    minifiedBytes: code.length,
    gzipBytes: gzipSync(code, { level: 9 }).length,
  }
}

/** Medians of `rounds` imports of each, every one in a process of its own, in turn. */
function importTimes(urls: readonly string[]): ReadonlyMap<string, number> {
  const found = new Map(urls.map((url) => [url, [] as number[]]))
  for (let round = 0; round < rounds; round++) {
    for (const [url, times] of found) {
      const code = `const t = performance.now(); await import(${JSON.stringify(url)}); process.stdout.write(String(performance.now() - t)); process.exit()`
      times.push(
        Number(
          execFileSync(process.execPath, ['--input-type=module', '-e', code], {
            encoding: 'utf8',
            cwd: here,
          }),
        ),
      )
    }
  }
  return new Map(Array.from(found, ([url, times]) => [url, median(times)]))
}

async function report(rows: readonly Row[]): Promise<void> {
  const ms = (value: number | undefined): string => (value === undefined ? '' : value.toFixed(1))
  printTable(
    `Size and import, medians of ${rounds} processes`,
    ['', 'minified', 'gzipped', 'import ms, one file', 'import ms, as installed'],
    rows.map((row) => [
      row.name,
      row.minifiedBytes.toLocaleString('en'),
      row.gzipBytes.toLocaleString('en'),
      ms(row.bundleImportMs),
      ms(row.installedImportMs),
    ]),
  )
  const [core] = rows as [Row]
  const budget: readonly BudgetLine[] = [
    {
      what: 'core, gzipped',
      limit: '≤ 23,000 bytes',
      measured: core.gzipBytes.toLocaleString('en'),
      kept: core.gzipBytes <= 23_000,
    },
    {
      what: 'core, import of one file',
      limit: '≤ 5 ms',
      measured: `${ms(core.bundleImportMs)} ms`,
      kept: core.bundleImportMs <= 5,
    },
  ]
  printTable('Budget', ['', 'limit', 'measured', ''], budgetRows(budget))
  await writeResults('core-size', { rounds, rows, budget })
}
