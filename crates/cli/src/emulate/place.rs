//! Where the ends of the network are: what `--join` and `--between` say.

use dumbbell_live::emulator::Place;
use dumbbell_live::namespace::Namespace;

use super::Args;
use crate::exit::Exit;

/// Returns the place that the options name.
pub fn of(args: &Args) -> Result<Place, Exit> {
    Ok(match (&args.join[..], &args.between[..]) {
        ([sender, receiver], _) => {
            Place::Join([Namespace::existing(sender)?, Namespace::existing(receiver)?])
        }
        (_, [sender, receiver]) => Place::Between([sender.clone(), receiver.clone()]),
        _ => Place::Own,
    })
}
