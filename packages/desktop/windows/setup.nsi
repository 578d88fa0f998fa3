; Installs the application for one user, without an administrator. packages/desktop/build/setup.mjs defines VERSION, OUT, ICON, KILOBYTES
; and LISTS, and for signing SIGN. ${LISTS} has the macros InstallFiles, RemoveFiles, AddTypes and RemoveTypes.
Target amd64-unicode
Unicode true
SetCompressor /SOLID lzma
ManifestDPIAware true
RequestExecutionLevel user

!define NAME "Acquisition Store"
!define PROGRAM "${NAME}.exe"
!define UNINSTALL "Software\Microsoft\Windows\CurrentVersion\Uninstall\AcquisitionStore"
!define SETTINGS "Software\AcquisitionStore"
!define APPLICATIONS "Software\Classes\Applications"
!define SHCNE_ASSOCCHANGED 0x08000000

Name "${NAME}"
OutFile "${OUT}"
InstallDir "$LOCALAPPDATA\Programs\${NAME}"
; A newer version goes where the older one is.
InstallDirRegKey HKCU "${SETTINGS}" "InstallLocation"
ShowInstDetails nevershow
ShowUninstDetails nevershow
BrandingText "${NAME} ${VERSION}"

VIProductVersion "${VERSION}.0"
VIAddVersionKey "ProductName" "${NAME}"
VIAddVersionKey "ProductVersion" "${VERSION}"
VIAddVersionKey "FileVersion" "${VERSION}"
VIAddVersionKey "FileDescription" "Setup of ${NAME}"
VIAddVersionKey "CompanyName" "The Acquisition Store authors"
VIAddVersionKey "LegalCopyright" "MIT license"

!ifdef SIGN
  !uninstfinalize '${SIGN} "%1"' = 0
!endif

!include "MUI2.nsh"
!include "LogicLib.nsh"
!include "${LISTS}"
!define MUI_ICON "${ICON}"
!define MUI_UNICON "${ICON}"
!define MUI_ABORTWARNING
!define MUI_FINISHPAGE_RUN "$INSTDIR\${PROGRAM}"
!insertmacro MUI_PAGE_DIRECTORY
!insertmacro MUI_PAGE_INSTFILES
!insertmacro MUI_PAGE_FINISH
!insertmacro MUI_UNPAGE_CONFIRM
!insertmacro MUI_UNPAGE_INSTFILES
!insertmacro MUI_LANGUAGE "English"

; Windows does not let files of running programs be written. Without windows (/S) there is nobody to ask: it ends with code 2.
!macro EndWhileRunning
  again:
  ${If} ${FileExists} "$INSTDIR\acqstore.exe"
    ClearErrors
    FileOpen $0 "$INSTDIR\acqstore.exe" a
    ${If} ${Errors}
      MessageBox MB_RETRYCANCEL|MB_ICONEXCLAMATION "${NAME} is running. Close it, then choose Retry." /SD IDCANCEL IDRETRY again
      SetErrorLevel 2
      Quit
    ${EndIf}
    FileClose $0
  ${EndIf}
!macroend

Section
  !insertmacro EndWhileRunning
  !insertmacro InstallFiles
  SetOutPath "$INSTDIR"
  WriteUninstaller "$INSTDIR\uninstall.exe"
  CreateShortcut "$SMPROGRAMS\${NAME}.lnk" "$INSTDIR\${PROGRAM}" "" "$INSTDIR\${PROGRAM}" 0 SW_SHOWNORMAL "" \
    "Open microscope acquisitions"
  WriteRegStr HKCU "${SETTINGS}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayName" "${NAME}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayVersion" "${VERSION}"
  WriteRegStr HKCU "${UNINSTALL}" "DisplayIcon" "$INSTDIR\${PROGRAM}"
  WriteRegStr HKCU "${UNINSTALL}" "Publisher" "The Acquisition Store authors"
  WriteRegStr HKCU "${UNINSTALL}" "InstallLocation" "$INSTDIR"
  WriteRegStr HKCU "${UNINSTALL}" "UninstallString" '"$INSTDIR\uninstall.exe"'
  WriteRegStr HKCU "${UNINSTALL}" "QuietUninstallString" '"$INSTDIR\uninstall.exe" /S'
  WriteRegDWORD HKCU "${UNINSTALL}" "EstimatedSize" ${KILOBYTES}
  WriteRegDWORD HKCU "${UNINSTALL}" "NoModify" 1
  WriteRegDWORD HKCU "${UNINSTALL}" "NoRepair" 1
  ; File types get one more choice in "Open with". What opens them by default stays as it is.
  WriteRegStr HKCU "${APPLICATIONS}\${PROGRAM}" "FriendlyAppName" "${NAME}"
  WriteRegStr HKCU "${APPLICATIONS}\${PROGRAM}\shell\open\command" "" '"$INSTDIR\${PROGRAM}" "%1"'
  !insertmacro AddTypes
  System::Call 'shell32::SHChangeNotify(i ${SHCNE_ASSOCCHANGED}, i 0, p 0, p 0)'
SectionEnd

Section "Uninstall"
  !insertmacro EndWhileRunning
  !insertmacro RemoveFiles
  Delete "$INSTDIR\uninstall.exe"
  SetOutPath "$TEMP"
  RMDir "$INSTDIR"
  Delete "$SMPROGRAMS\${NAME}.lnk"
  DeleteRegKey HKCU "${UNINSTALL}"
  DeleteRegKey HKCU "${SETTINGS}"
  DeleteRegKey HKCU "${APPLICATIONS}\${PROGRAM}"
  DeleteRegKey /ifnosubkeys /ifnovalues HKCU "${APPLICATIONS}"
  !insertmacro RemoveTypes
  System::Call 'shell32::SHChangeNotify(i ${SHCNE_ASSOCCHANGED}, i 0, p 0, p 0)'
SectionEnd
