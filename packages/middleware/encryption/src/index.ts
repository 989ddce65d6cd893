export type { RecordContext } from './associated-data.ts'
export {
  type EncryptionCapabilities,
  type EncryptionOptions,
  encryption,
  type KmsEncryptionCapabilities,
  type KmsEncryptionOptions,
} from './encryption.ts'
export type { KeyMaterial } from './key-material.ts'
export {
  type Keyring,
  type KeyringKeys,
  type KeyringOptions,
  type KeySetting,
  type KeyState,
  keyring,
} from './keyring.ts'
export type { RecordKind } from './kinds.ts'
export {
  type AwsInput,
  type AwsKmsClient,
  type AwsKmsCommands,
  type AwsKmsOptions,
  awsKms,
} from './kms/aws-kms.ts'
export { type KmsKeys, type KmsKeysOptions, kmsKeys } from './kms/kms-keys.ts'
export type { DataKey, KmsCall, KmsContext, KmsProvider, WrappedDataKey } from './kms/kms-provider.ts'
export type { AskSettings, KmsOpenOptions, KmsSealOptions } from './kms/kms-seal.ts'
export { type LocalKmsOptions, localKms } from './kms/local-kms.ts'
export type { NamedCapabilities } from './names/capabilities.ts'
export { type NameKey, nameKey } from './names/name-key.ts'
export { rekey } from './names/rekey.ts'
export type { RekeyOptions, RekeyProgress, RekeyReport } from './names/rekey-options.ts'
export type { Padding } from './padding.ts'
export { type PassphraseOptions, passphraseKey } from './passphrase.ts'
export { reencrypt } from './reencrypt.ts'
export type { ReencryptOptions, ReencryptReport } from './reencrypt-options.ts'
export { type OpenOptions, open, type SealOptions, seal } from './seal.ts'
export type { SealingOptions } from './sealing-options.ts'
export { openStream, type StreamOpenOptions, type StreamSealOptions, sealStream } from './streams.ts'
export type { Algorithm } from './suites.ts'
