/**
 * Packs all packages as npm would publish them, for projects that use them before they are published:
 *
 *   npm run pack -- DIR               then, in the project: npm install DIR/*.tgz
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { packages, root } from './workspaces.mjs'

const [given] = process.argv.slice(2)
if (given === undefined) {
  console.error('pack: name the folder for the archives: npm run pack -- DIR')
  process.exit(2)
}
const folder = resolve(process.env.INIT_CWD ?? process.cwd(), given)
mkdirSync(folder, { recursive: true })
const names = packages().flatMap(({ manifest }) => ['--workspace', manifest.name])
const { status } = spawnSync('npm', ['pack', '--silent', '--pack-destination', folder, ...names], {
  cwd: root,
  stdio: 'inherit',
})
process.exitCode = status ?? 1
