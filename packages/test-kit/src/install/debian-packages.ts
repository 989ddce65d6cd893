import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { findBinary } from './find-binary.ts'

/** The file by which Debian asks whether a package may start its service; 101 is no. */
const servicePolicy = '/usr/sbin/policy-rc.d'

/** The facts that decide whether system packages may be installed. */
export interface Machine {
  /** The user that this process runs as, where there are user ids. */
  readonly uid: number | undefined
  /** The contents of /etc/os-release. */
  readonly osRelease: string
  readonly aptGet: string | undefined
}

/** Whether this process may install system packages: root, on Debian, Ubuntu or a child of theirs. */
export function mayInstallPackages({ uid, osRelease, aptGet }: Machine = thisMachine()): boolean {
  return uid === 0 && aptGet !== undefined && /^ID(_LIKE)?=.*\b(debian|ubuntu)\b/m.test(osRelease)
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

function thisMachine(): Machine {
  let osRelease = ''
  try {
    osRelease = readFileSync('/etc/os-release', 'utf8')
  } catch {
    // No such file: not Linux.
  }
  return { uid: process.getuid?.(), osRelease, aptGet: findBinary('apt-get') }
}
