import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { defineConfig, type Plugin } from 'vite'

/** Puts the code of the thread into a module as text: bundlers take it along, where they would lose a file beside it. */
const oneText: Plugin = {
  name: 'one-text',
  enforce: 'post',
  generateBundle: {
    // After the notices of the packages were collected.
    order: 'post',
    handler(_, bundle) {
      const [file, ...others] = Object.values(bundle).filter(({ type }) => type === 'chunk')
      if (file?.type !== 'chunk' || others.length > 0) throw new Error('The thread needs one file.')
      delete bundle[file.fileName]
      const packed = gzipSync(file.code, { level: 9 }).toString('base64')
      this.emitFile({ type: 'asset', fileName: 'thread.js', source: `export const gzip = '${packed}'\n` })
    },
  },
}

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  plugins: [oneText],
  resolve: { conditions: ['@unikv/source', 'node', 'import', 'default'] },
  ssr: { noExternal: true },
  build: {
    ssr: 'thread.ts',
    outDir: fileURLToPath(new URL('../dist/thread', import.meta.url)),
    emptyOutDir: true,
    target: 'node20',
    minify: true,
    // The packages in it want their notices to go along.
    license: { fileName: 'licenses.md' },
    rolldownOptions: { output: { format: 'cjs', codeSplitting: false } },
  },
})
