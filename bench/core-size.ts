import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { type BudgetLine, budgetRows } from './measure/micro.ts'
import { printTable, writeResults } from './measure/report.ts'
import { median } from './measure/rounds.ts'

// How large is core, and how long does importing it take? One minified file, gzipped; and a process that imports
// it against one that imports nothing, in turn.

const core = fileURLToPath(import.meta.resolve('@unikv/core'))
const rounds = Number(process.env['ROUNDS'] ?? 15)

const { outputFiles } = await build({
  entryPoints: [core],
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  write: false,
})
const bundle = outputFiles[0]?.contents ?? new Uint8Array()
const sizes = { minifiedBytes: bundle.length, gzippedBytes: gzipSync(bundle, { level: 9 }).length }

/** What an import takes inside a fresh process, in milliseconds. */
function importMs(specifier: string): number {
  const script = `const t = performance.now(); await import(${JSON.stringify(specifier)}); console.log(performance.now() - t)`
  const { stdout } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  })
  return Number(stdout)
}

const imports: number[] = []
const empty: number[] = []
for (let round = 0; round < rounds; round++) {
  empty.push(importMs('data:text/javascript,export {}'))
  imports.push(importMs(core))
}
const coreImportMs = median(imports) - median(empty)

const gzippedKi = sizes.gzippedBytes / 1024
const budget: readonly BudgetLine[] = [
  {
    what: 'minified and gzipped',
    limit: '≤ 12 KiB',
    measured: `${gzippedKi.toFixed(1)} KiB`,
    kept: gzippedKi <= 12,
  },
  {
    what: `import, median of ${rounds}`,
    limit: '≤ 5 ms',
    measured: `${coreImportMs.toFixed(1)} ms`,
    kept: coreImportMs <= 5,
  },
]
printTable('Core', ['what', 'limit', 'measured', ''], budgetRows(budget))
await writeResults('core-size', { ...sizes, coreImportMs, imports, empty })
