import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** Make a script of a module, which a process of its own can run. */
export async function bundle(module: URL, folder: string): Promise<string> {
  const path = fileURLToPath(module)
  const script = join(folder, `${basename(path, '.ts')}.mjs`)
  await build({
    entryPoints: [path],
    outfile: script,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@unikv/source'],
    // The package lmdb is found from where the module is, not from where the script is.
    define: { 'import.meta.url': JSON.stringify(module.href) },
  })
  return script
}
