export type { RecordContext } from './associated-data.ts'
export { type EncryptionCapabilities, type EncryptionOptions, encryption } from './encryption.ts'
export type { KeyMaterial } from './key-material.ts'
export {
  type Keyring,
  type KeyringOptions,
  type KeySetting,
  type KeyState,
  keyring,
} from './keyring.ts'
export type { RecordKind } from './kinds.ts'
export type { NamedCapabilities } from './names/capabilities.ts'
export { type NameKey, nameKey } from './names/name-key.ts'
export { rekey } from './names/rekey.ts'
export type { RekeyOptions, RekeyProgress, RekeyReport } from './names/rekey-options.ts'
export type { Padding } from './padding.ts'
export { type OpenOptions, open, type SealOptions, seal } from './seal.ts'
export type { SealingOptions } from './sealing-options.ts'
export { openStream, type StreamSealOptions, sealStream } from './streams.ts'
export type { Algorithm } from './suites.ts'
