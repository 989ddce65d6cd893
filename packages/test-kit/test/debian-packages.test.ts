import { describe, expect, test } from 'vitest'
import { type Machine, mayInstallPackages } from '../src/install/debian-packages.ts'

const debian: Machine = {
  uid: 0,
  osRelease: 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\n',
  aptGet: '/usr/bin/apt-get',
}

describe('mayInstallPackages', () => {
  test.each([
    ['Debian', debian.osRelease],
    ['Ubuntu', 'NAME="Ubuntu"\nID=ubuntu\nID_LIKE=debian\n'],
    ['a child of Ubuntu', 'ID=linuxmint\nID_LIKE="ubuntu debian"\n'],
  ])('is true for root on %s', (_, osRelease) => {
    expect(mayInstallPackages({ ...debian, osRelease })).toBe(true)
  })

  test.each<[string, Partial<Machine>]>([
    ['for anyone but root', { uid: 1000 }],
    ['where there are no user ids', { uid: undefined }],
    ['on another system', { osRelease: 'ID=fedora\nNAME="not debian"\n' }],
    ['without apt-get', { aptGet: undefined }],
  ])('is false %s', (_, machine) => {
    expect(mayInstallPackages({ ...debian, ...machine })).toBe(false)
  })
})
