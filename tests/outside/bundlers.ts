import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { inClone } from './run.ts'

// The bundlers are those of this folder's own installation, where the types of no other program meet them.
const require = createRequire(inClone('tests/outside/tools/package.json'))

/** What becomes of a bundle: its warnings and errors. */
export interface Bundled {
  readonly errors: readonly string[]
}

/** The line that docs/guides/bundling.md gives to bundles of ES modules. */
export const banner =
  "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);"

interface Settings {
  readonly entry: string
  readonly outfile: string
  readonly format?: 'esm' | 'cjs'
  readonly banner?: string
  readonly external?: readonly string[]
}

/** One file, by esbuild. */
export async function esbuild({ entry, outfile, format, banner, external }: Settings): Promise<Bundled> {
  const { build } = require('esbuild') as { build: (options: object) => Promise<unknown> }
  const options = {
    entryPoints: [entry],
    outfile,
    format,
    bundle: true,
    platform: 'node',
    target: 'node20',
    logLevel: 'silent',
    ...(banner === undefined ? {} : { banner: { js: banner } }),
    ...(external === undefined ? {} : { external }),
  }
  return build(options).then(
    () => ({ errors: [] }),
    (error: { readonly errors: readonly { readonly text: string }[] }) => ({
      errors: error.errors.map(({ text }) => text),
    }),
  )
}

interface Stats {
  toJson(options: object): { readonly errors?: readonly { readonly message: string }[] }
}

/** One CommonJS file for each entry, by webpack: `folder/name.cjs`. `external` packages stay outside. */
export function webpack(
  entry: Readonly<Record<string, string>>,
  folder: string,
  external: readonly string[] = [],
): Promise<Bundled> {
  type Webpack = (options: object, done: (error: Error | null, stats?: Stats) => void) => void
  const options = {
    mode: 'none',
    target: 'node20',
    context: dirname(Object.values(entry)[0] as string),
    entry,
    resolve: { symlinks: true },
    externals: Object.fromEntries(external.map((name) => [name, `commonjs ${name}`])),
    output: { path: folder, filename: '[name].cjs', chunkFormat: 'commonjs', library: { type: 'commonjs2' } },
    plugins: [],
  }
  return new Promise((resolve, reject) => {
    ;(require('webpack') as Webpack)(options, (error, stats) => {
      if (error) return reject(error)
      const { errors = [] } = stats?.toJson({ all: false, errors: true }) ?? {}
      resolve({ errors: errors.map(({ message }) => message) })
    })
  })
}
