import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { oneModule } from './one-module.ts'

const reportStyle = fileURLToPath(new URL('../../bench/src/report/plot/plot-style.ts', import.meta.url))

/** The colors of the reports of benchmarks, so that both look alike: they are declared there alone. */
const reportTokens: Plugin = {
  name: 'report-tokens',
  resolveId: (id) => (id === 'virtual:tokens.css' ? '\0tokens.css' : undefined),
  load(id) {
    if (id !== '\0tokens.css') return undefined
    const text = readFileSync(reportStyle, 'utf8')
    return text.slice(text.indexOf(':root'), text.indexOf('`', text.indexOf(':root')))
  },
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [reportTokens, oneModule],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: fileURLToPath(new URL('../dist/page', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 0,
  },
})
