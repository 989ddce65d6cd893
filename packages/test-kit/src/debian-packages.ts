import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { findBinary } from './find-binary.ts'

/** The file by which Debian asks whether a package may start its service; 101 is no. */
const servicePolicy = '/usr/sbin/policy-rc.d'

/** Whether this process may install system packages: root, on Debian, Ubuntu or a child of theirs. */
export function mayInstallPackages(
  uid: number | undefined = process.getuid?.(),
  osRelease: string = readOsRelease(),
  aptGet: string | undefined = findBinary('apt-get'),
): boolean {
  const debian = /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(osRelease)
  return uid === 0 && debian && aptGet !== undefined
}

/**
 * Installs packages without starting their services.
 *
 * @throws Error with the end of what apt-get printed.
 */
export async function installDebianPackages(packages: readonly string[]): Promise<void> {
  // An existing policy is the machine's own: it stays as it is.
  const policyIsOurs = await writeFile(servicePolicy, '#!/bin/sh\nexit 101\n', {
    flag: 'wx',
    mode: 0o755,
  }).then(
    () => true,
    () => false,
  )
  try {
    // A repository that cannot be reached need not be the one that has these packages: install tells.
    await aptGet('update').catch(() => {})
    await aptGet('install', '-y', '--no-install-recommends', ...packages)
  } finally {
    if (policyIsOurs) await rm(servicePolicy, { force: true })
  }
}

async function aptGet(...args: readonly string[]): Promise<void> {
  const options = ['-q', '-o', 'DPkg::Lock::Timeout=300']
  await promisify(execFile)('apt-get', [...options, ...args], {
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: Error & { stdout?: string; stderr?: string }) => {
    const printed = `${error.stdout ?? ''}${error.stderr ?? ''}`.trim().split('\n').slice(-8).join('\n')
    throw new Error(`apt-get ${args.join(' ')} failed:\n${printed}`, { cause: error })
  })
}

function readOsRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8')
  } catch {
    return ''
  }
}
