/**
 * Completes package-lock.json, or the lock file that is named, after `npm install` against a registry mirror that serves the binaries of one
 * platform only. npm leaves out the optional packages that it cannot see, and `npm ci` then refuses the lock file
 * as out of step. The platform is read from the package's name; no integrity can be known here.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { root } from './workspaces.mjs'

const file = resolve(root, process.argv[2] ?? 'package-lock.json')
const lock = JSON.parse(readFileSync(file, 'utf8'))
const missing = Object.entries(lock.packages).flatMap(([path, entry]) =>
  Object.entries(entry.optionalDependencies ?? {})
    .filter(([name]) => !isLocked(path, name))
    .map(([name, version]) => [`node_modules/${name}`, platformEntry(name, version, entry)]),
)
const [own, ...others] = Object.entries({ ...lock.packages, ...Object.fromEntries(missing) })
lock.packages = Object.fromEntries([own, ...others.sort(([a], [b]) => a.localeCompare(b, 'en'))])
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`)
console.log(`${file}: ${missing.length} optional package(s) added`)

/** Whether a package is found from `path` upwards, as Node.js looks for it. */
function isLocked(path, name) {
  for (let folder = path; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    if (lock.packages[join(folder, 'node_modules', name)]) return true
    if (folder === '') return false
  }
}

function platformEntry(name, version, parent) {
  const words = name.split(/[/-]/)
  const cpu = words.find((word) => /^(x64|arm64|arm|ia32|ppc64|riscv64|s390x)$/.test(word))
  const os = words.find((word) => /^(android|darwin|freebsd|linux|openharmony|win32)$/.test(word))
  if (!/^\d/.test(version) || !cpu || !os) throw new Error(`Cannot tell the platform of ${name}@${version}`)
  const libc = os === 'linux' && words.some((word) => word.startsWith('musl')) && 'musl'
  return {
    version,
    cpu: [cpu],
    ...(parent.dev && { dev: true }),
    ...(libc && { libc: [libc] }),
    license: parent.license,
    optional: true,
    os: [os],
  }
}
