# Presses Tab in an interactive zsh, and prints each line as it is run afterwards.
# Arguments: the completion script, then the lines without "jobledger".
zmodload zsh/zpty
script=$1
zpty shell zsh -f -i
# The words are cut, so that the echo of this line is not taken for what they print.
zpty -w shell "source ${(q)script}; jobledger() { print -r GO''T\"[\$*]\" }; print REA''DY"
zpty -r shell output '*READY*'
for line in "${@:2}"; do
  zpty -w shell "jobledger $line"$'\t'
  zpty -r shell output '*GOT\[*\]*'
  print -r -- "${${output##*GOT\[}%%\]*}"
done
