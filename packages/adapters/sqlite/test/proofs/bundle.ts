import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

/** The built package: its worker and the driver are found from there. */
const built = new URL('../../dist/client/thread.js', import.meta.url)

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
    define: { 'import.meta.url': JSON.stringify(built.href) },
  })
  return script
}
