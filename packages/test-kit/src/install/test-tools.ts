import { spawnSync } from 'node:child_process'
import { installDebianPackages, mayInstallPackages } from './debian-packages.ts'

/** A program that some tests drive, and how to get it. */
export interface TestTool {
  readonly name: string
  /** A command that succeeds where the tool is there. */
  readonly probe: readonly [program: string, ...args: string[]]
  readonly debianPackage: string
}

/** Tools of the tests of this repository. */
export const testTools: readonly TestTool[] = [
  { name: 'strace', probe: ['strace', '-V'], debianPackage: 'strace' },
  { name: 'chromium', probe: ['chromium', '--version'], debianPackage: 'chromium' },
  { name: 'gnuplot', probe: ['gnuplot', '--version'], debianPackage: 'gnuplot-nox' },
  {
    name: 'python3 with cryptography',
    probe: ['python3', '-c', 'import cryptography'],
    debianPackage: 'python3-cryptography',
  },
  {
    name: 'python3 with pandas',
    // Another Python than that of the system does not have its packages.
    probe: ['sh', '-c', 'python3 -c "import pandas" || /usr/bin/python3 -c "import pandas"'],
    debianPackage: 'python3-pandas',
  },
]

/** A tool that could not be had, and why. */
export interface MissingTool {
  readonly name: string
  readonly reason: string
}

/** The parts of the machine that {@link ensureTestTools} needs. */
export interface ToolOptions {
  /** Told, a line at a time, what is being installed. */
  readonly say: (line: string) => void
  /** @default whether this process is root on Debian or Ubuntu */
  readonly mayInstall?: boolean
  /** Installs packages. @default by apt-get */
  readonly install?: (packages: readonly string[]) => Promise<void>
}

/** Looks for tools, installs the missing ones where it may, and tells which are still missing. */
export async function ensureTestTools(
  tools: readonly TestTool[],
  { say, mayInstall = mayInstallPackages(), install = installDebianPackages }: ToolOptions,
): Promise<readonly MissingTool[]> {
  const absent = tools.filter(isAbsent)
  if (absent.length === 0) return []
  const packages = absent.map(({ debianPackage }) => debianPackage)
  const hint = `nothing may be installed here; install ${packages.join(' ')}`
  let refusal = mayInstall ? undefined : hint
  if (mayInstall) {
    say(`installing system packages with apt-get: ${packages.join(' ')}`)
    await install(packages).catch((error: unknown) => {
      refusal = String(error)
    })
  }
  return absent
    .filter(isAbsent)
    .map(({ name }) => ({ name, reason: refusal ?? 'its package is installed, yet it does not run' }))
}

function isAbsent({ probe: [program, ...args] }: TestTool): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status !== 0
}
